// The same after the writer has ended.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#define _GNU_SOURCE
#include <pthread.h>

char text[] = "abc";

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    pthread_join(thread, 0);
    pthread_setname_np(pthread_self(), text);
    return 0;
}
