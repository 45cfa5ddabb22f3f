// A reader that locks does not synchronise with another one.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdatomic.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
atomic_int flag;
int data;

void *first(void *arg) {
    data = 1;
    pthread_rwlock_rdlock(&lock);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    pthread_rwlock_unlock(&lock);
    return arg;
}

void *second(void *arg) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        pthread_rwlock_rdlock(&lock);
        data++;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
