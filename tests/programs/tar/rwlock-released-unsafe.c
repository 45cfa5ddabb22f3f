// A thread releases what another one reads under, which is undefined: then a writer may come in.
// property: race   truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
// tar: unknown
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int table;

void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int seen = table;
    pthread_rwlock_unlock(&lock);
    return (void *)(long)seen;
}

void *writer(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    table++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
