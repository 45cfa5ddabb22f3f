// Those who hold the lock for reading write: they do not exclude each other.
// property: race   truth: unsafe
// tar: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
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
    table++;
    pthread_rwlock_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, reader, 0);
        pthread_create(&thread, 0, writer, 0);
    }
    return 0;
}
