// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A thread-local variable is gone with its thread, which may end before another thread looks.
#include <pthread.h>

_Thread_local int own;
int *volatile place;
volatile int is_set;

static void *publish(void *unused)
{
    place = &own;
    is_set = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    while (!is_set)
        ;
    int value = *place;
    pthread_join(thread, 0);
    return value;
}
