// pthread_rwlock_timedrdlock reads the seconds too.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <time.h>

struct timespec when = {1, 0};
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *change(void *arg) {
    when.tv_sec = 5;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    pthread_rwlock_timedrdlock(&lock, &when);
    pthread_join(thread, 0);
    return 0;
}
