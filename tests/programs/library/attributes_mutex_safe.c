// The same one after the other.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
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
    pthread_join(thread, 0);
    pthread_mutex_init(&mutex, &attributes);
    return 0;
}
