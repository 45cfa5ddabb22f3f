// The name of a file is read.
// property: race    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdio.h>

char name[] = "a.txt";

void *work(void *arg) {
    name[0] = 'b';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    remove(name);
    pthread_join(thread, 0);
    return 0;
}
