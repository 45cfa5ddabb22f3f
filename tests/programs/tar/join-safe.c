// Main joins the writer before it reads.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

int data;

void *writer(void *arg) {
    data = 1;
    return arg;
}

int main(void) {
    pthread_t one;
    data = 0;
    pthread_create(&one, NULL, writer, NULL);
    pthread_join(one, NULL);
    return data;
}
