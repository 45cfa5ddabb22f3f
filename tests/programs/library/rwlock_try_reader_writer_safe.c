// A reader that unlocks synchronises with a writer whose try succeeds.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <stdatomic.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
atomic_int flag;
int data;

void *first(void *arg) {
    pthread_rwlock_rdlock(&lock);
    data = 1;
    pthread_rwlock_unlock(&lock);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

void *second(void *arg) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        if (pthread_rwlock_trywrlock(&lock) != 0) return arg;
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
