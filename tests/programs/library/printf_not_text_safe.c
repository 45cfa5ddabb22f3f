// %p does not read.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <stdio.h>

char text[] = "abc";

char format[] = "%s %p";

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    printf(format + 3, (void *)text);
    pthread_join(thread, 0);
    return 0;
}
