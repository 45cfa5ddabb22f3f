// A function that is called through a pointer reads what it is given too.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdio.h>

char text[] = "abc";

int (*print)(const char *, ...) = printf;

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    print("%s\n", text);
    pthread_join(thread, 0);
    return 0;
}
