// Only so many characters are printed, and the one that another thread writes is not among them.
// property: race    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <stdio.h>

char text[] = "ab";

void *change(void *arg) {
    text[1] = 'c';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    printf("%d%% of %*d: %.*s %s\n", 10, 3, 7, 1, text, "constant");
    pthread_join(thread, NULL);
    return 0;
}
