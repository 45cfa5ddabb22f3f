// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A thread ends with a lock that another one waits for, after some rounds in which all goes well.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int rounds;

void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    rounds++;
    if (rounds == 2) return 0;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
