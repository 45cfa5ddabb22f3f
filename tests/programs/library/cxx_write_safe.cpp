// It reads no more than it is asked to.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <iostream>
#include <pthread.h>

char text[] = "abc";

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    std::cout.write(text, 1);
    pthread_join(thread, 0);
    return 0;
}
