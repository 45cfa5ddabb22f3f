// Two threads that join each other.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_t first, second;
pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    pthread_mutex_lock(&start);
    pthread_mutex_unlock(&start);
    pthread_join(*(pthread_t *)arg, 0);
    return 0;
}

int main(void) {
    pthread_mutex_lock(&start);
    pthread_create(&first, 0, worker, &second);
    pthread_create(&second, 0, worker, &first);
    pthread_mutex_unlock(&start);
    pthread_exit(0);
}
