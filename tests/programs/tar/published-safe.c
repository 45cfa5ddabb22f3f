// Main fills the structure before it starts the readers; nobody writes it later.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

struct job { int size; } *job;

void *reader(void *arg) { return job->size ? arg : NULL; }

int main(void) {
    pthread_t one, two;
    job = malloc(sizeof *job);
    job->size = 4;
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, reader, NULL);
    return 0;
}
