// A format that is no constant is followed as it is.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdio.h>

char text[] = "abc";

char format[] = "%d %s";

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    printf(format, 1, text);
    pthread_join(thread, 0);
    return 0;
}
