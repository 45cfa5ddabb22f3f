// A thread ends with pthread_exit while another one uses a variable on its stack.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

void *reader(void *cell) {
    *(int *)cell = 1;
    return NULL;
}

void *worker(void *arg) {
    int cell = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, reader, &cell);
    pthread_exit(arg);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_exit(NULL);
}
