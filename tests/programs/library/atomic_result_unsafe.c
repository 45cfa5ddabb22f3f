// What an atomic load leaves its result in is plain memory.
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

struct triple one, two, result;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *load_one(void *arg) {
    __atomic_load(&one, &result, __ATOMIC_RELAXED);
    return arg;
}

void *load_two(void *arg) {
    __atomic_load(&two, &result, __ATOMIC_RELAXED);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, load_one, 0);
    pthread_create(&threads[1], 0, load_two, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
