// Who holds the lock for writing does not get it for reading as well: it is free after the first release.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int table;

void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    int taken = pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    table++;
    if (taken == 0) pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
