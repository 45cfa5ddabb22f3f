// property: unreach   truth: unsafe
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (imprecise)   staged: unknown (undefined)
//
// An exchange compares with memory that was freed before there were threads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void reach_error(void);

int *_Atomic top;

static void *worker(void *unused)
{
    (void)unused;
    top = malloc(sizeof(int));
    return 0;
}

int main(void)
{
    pthread_t id;
    top = malloc(sizeof(int));
    int *old = top;
    free(old);
    pthread_create(&id, 0, worker, 0);
    pthread_join(id, 0);
    if (atomic_compare_exchange_strong(&top, &old, (int *)0)) reach_error();
    return 0;
}
