// A signal wakes only one of two who wait.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
int is_open;

void *waiter(void *arg) {
    pthread_mutex_lock(&mutex);
    while (!is_open) pthread_cond_wait(&opened, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, waiter, 0);
    pthread_create(&second, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    is_open = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&mutex);
    pthread_join(first, 0);
    pthread_join(second, 0);
    pthread_cond_destroy(&opened);
    return 0;
}
