// A lock that is not had in time synchronises with nothing.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int data;

void *holder(void *arg) {
    data = 1;
    pthread_mutex_lock(&mutex);
    
    return arg;
}

int main(void) {
    struct timespec when = {1, 0};
    pthread_t thread;
    pthread_create(&thread, 0, holder, 0);
    if (pthread_mutex_timedlock(&mutex, &when) != 0) data++;
    pthread_join(thread, 0);
    return 0;
}
