// A thread reads memory that the other one may have freed.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *p;

void *reader(void *unused) {
    int seen = *p;
    assert(seen == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&thread, 0, reader, 0);
    free(p);
    return 0;
}
