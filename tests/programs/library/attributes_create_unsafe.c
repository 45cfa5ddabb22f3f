// Attributes of threads are changed while a thread is made with them.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>

pthread_attr_t attributes;

void *change(void *arg) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    return arg;
}

void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_t thread, other;
    (void)other;
    pthread_attr_init(&attributes);
    pthread_create(&thread, 0, change, 0);
    pthread_create(&other, &attributes, nothing, 0);
    pthread_join(thread, 0);
    return 0;
}
