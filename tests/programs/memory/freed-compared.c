// property: unreach   truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (imprecise)   staged: unknown (undefined)
//
// Memory may be at the address of memory that was freed before: what comes of comparing them is not defined.
#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);

static void *worker(void *unused)
{
    (void)unused;
    int *old = malloc(sizeof *old);
    free(old);
    int *new = malloc(sizeof *new);
    if (new == old) reach_error();
    free(new);
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, worker, 0);
    pthread_join(id, 0);
    return 0;
}
