// Who gets the lock at once reads.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: unknown
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int table;

void *reader(void *arg) {
    if (pthread_rwlock_tryrdlock(&lock) != 0) return 0;
    int seen = table;
    pthread_rwlock_unlock(&lock);
    return (void *)(long)seen;
}

void *writer(void *arg) {
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
