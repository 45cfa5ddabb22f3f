// fread writes what it is given, also the element that it does not read as a whole.
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe
#include <pthread.h>
#include <stdio.h>

char buffer[4];

void *look(void *arg) {
    return buffer[3] ? arg : NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    fread(buffer, 2, 2, stdin);
    pthread_join(thread, NULL);
    return 0;
}
