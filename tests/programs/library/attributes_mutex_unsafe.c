// Attributes of mutexes are changed while a mutex is made with them.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutexattr_t attributes;
pthread_mutex_t mutex;

void *change(void *arg) {
    pthread_mutexattr_setpshared(&attributes, 1);
    return arg;
}

void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_t thread, other;
    (void)other;
    pthread_mutexattr_init(&attributes);
    pthread_create(&thread, 0, change, 0);
    pthread_mutex_init(&mutex, &attributes);
    pthread_join(thread, 0);
    return 0;
}
