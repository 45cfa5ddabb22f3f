// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// To compare is fine as long as both are there.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *unused)
{
    (void)unused;
    int *one = malloc(sizeof *one), *other = malloc(sizeof *other);
    assert(one != other);
    free(one);
    free(other);
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, worker, 0);
    pthread_join(id, 0);
    return 0;
}
