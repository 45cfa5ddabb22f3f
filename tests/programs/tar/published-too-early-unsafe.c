// Main fills the structure after it started the reader.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

struct job { int size; } job;

void *reader(void *arg) {
    struct job *own = arg;
    return own->size ? arg : NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, &job);
    job.size = 4;
    return 0;
}
