// A writer that locks knows of all readers that have unlocked, and what an earlier writer wrote.
// property: race   truth: safe
// explore: safe   impact: unknown (time)   priori: safe   staged: safe
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data[3];

void *reader(void *arg) {
    int index = arg != 0;
    pthread_rwlock_rdlock(&lock);
    data[index]++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    data[0]++;
    data[1]++;
    data[2]++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, reader, &lock);
    pthread_create(&threads[2], 0, writer, 0);
    writer(0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
