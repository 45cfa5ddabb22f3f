// A condition variable is destroyed and freed as soon as all threads that wait for it are woken (POSIX pthread_cond_destroy).
// property: memory     truth: safe
// explore: safe   impact: safe   staged: unknown (bound)
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: unknown (bound)
// property: locks      truth: safe
// explore: safe   impact: safe   staged: unknown (bound)
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: unknown (bound)
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int is_done;

void *wait_for_it(void *c) {
    pthread_mutex_lock(&m);
    while (!is_done) pthread_cond_wait(c, &m);
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
    pthread_join(t, 0);
}
