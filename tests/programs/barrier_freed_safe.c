// A barrier is destroyed and freed while the other thread may still be on its way out.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
#include <pthread.h>
#include <stdlib.h>

void *meet(void *b) {
    pthread_barrier_wait(b);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_t *b = malloc(sizeof *b);
    pthread_barrier_init(b, 0, 2);
    pthread_create(&t, 0, meet, b);
    if (pthread_barrier_wait(b) > 0) return 1;
    pthread_barrier_destroy(b);
    free(b);
    pthread_join(t, 0);
}
