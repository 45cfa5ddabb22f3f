// puts reads its text through a pointer too.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdio.h>

char text[] = "abc";

int (*print)(const char *) = puts;

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    print(text);
    pthread_join(thread, 0);
    return 0;
}
