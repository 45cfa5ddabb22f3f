// A format without %s does not read what a pointer leads to.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
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
    printf(format, text);
    pthread_join(thread, 0);
    return 0;
}
