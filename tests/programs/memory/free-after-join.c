// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
//
// Memory is freed when nobody uses it any more.
#include <pthread.h>
#include <stdlib.h>

int *p;

static void *thread1(void *unused)
{
    (void)unused;
    p[0] = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    p[1] = 1;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    p = malloc(2 * sizeof *p);
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    free(p);
    return 0;
}
