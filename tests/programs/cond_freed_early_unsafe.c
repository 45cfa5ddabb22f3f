// The same, but a thread may come to wait after the condition variable was freed.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int is_done;

void *wait_for_it(void *c) {
    pthread_mutex_lock(&m);
    do pthread_cond_wait(c, &m);
    while (!is_done);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_cond_t *c = malloc(sizeof *c);
    pthread_cond_init(c, 0);
    pthread_create(&t, 0, wait_for_it, c);
    pthread_mutex_lock(&m);
    is_done = 1;
    pthread_cond_broadcast(c);
    pthread_mutex_unlock(&m);
    pthread_cond_destroy(c);
    free(c);
}
