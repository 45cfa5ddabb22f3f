// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// One thread frees what another still uses.
#include <pthread.h>
#include <stdlib.h>

int *p;

static void *thread1(void *unused)
{
    (void)unused;
    int *q = p;
    if (q)
        *q = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    int *q = p;
    p = 0;
    free(q);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    p = malloc(sizeof *p);
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
