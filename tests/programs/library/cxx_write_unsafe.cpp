// std::cout.write reads the characters.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
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
    std::cout.write(text, 3);
    pthread_join(thread, 0);
    return 0;
}
