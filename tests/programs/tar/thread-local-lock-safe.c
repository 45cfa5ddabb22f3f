// Whether the lock is taken depends on a variable of the thread's own.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
_Thread_local int careful;
int count;

void *worker(void *arg) {
    careful = 1;
    if (careful) pthread_mutex_lock(&mutex);
    count++;
    if (careful) pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    return 0;
}
