// What is overwritten on one path only is seen by others.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared, flag;

void *writer(void *arg) {
    pthread_mutex_lock(&mutex);
    shared = 1;
    if (flag)
        shared = 2;
    pthread_mutex_unlock(&mutex);
    return arg;
}

void *chooser(void *arg) {
    flag = 1;
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, writer, 0);
    pthread_create(&second, 0, chooser, 0);
    pthread_mutex_lock(&mutex);
    assert(shared != 1);
    pthread_mutex_unlock(&mutex);
    return 0;
}
