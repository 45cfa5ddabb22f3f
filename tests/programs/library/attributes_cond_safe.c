// The same one after the other.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
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
    pthread_join(thread, 0);
    pthread_condattr_setclock(&attributes, 1);
    return 0;
}
