// pthread_setname_np reads the name.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
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
    pthread_setname_np(pthread_self(), text);
    pthread_join(thread, 0);
    return 0;
}
