// Results of atomic loads in memory that a lock guards.
// property: race   truth: safe
// explore: safe   priori: safe
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

struct triple one, two, result;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *load_one(void *arg) {
    pthread_mutex_lock(&mutex);
    __atomic_load(&one, &result, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&mutex);
    return arg;
}

void *load_two(void *arg) {
    pthread_mutex_lock(&mutex);
    __atomic_load(&two, &result, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&mutex);
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
