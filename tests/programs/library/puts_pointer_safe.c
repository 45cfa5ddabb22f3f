// The same after the writer has ended.
// property: race   truth: safe
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
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
    pthread_join(thread, 0);
    print(text);
    return 0;
}
