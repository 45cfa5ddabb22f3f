// Attributes of condition variables are changed by two threads.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>

pthread_condattr_t attributes;

void *change(void *arg) {
    pthread_condattr_setpshared(&attributes, 1);
    return arg;
}

void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_t thread, other;
    (void)other;
    pthread_condattr_init(&attributes);
    pthread_create(&thread, 0, change, 0);
    pthread_condattr_setclock(&attributes, 1);
    pthread_join(thread, 0);
    return 0;
}
