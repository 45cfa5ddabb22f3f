// What fwrite writes is read.
// property: race    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdio.h>

char text[4];

void *work(void *arg) {
    text[2] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    fwrite(text, 1, sizeof text, stdout);
    pthread_join(thread, 0);
    return 0;
}
