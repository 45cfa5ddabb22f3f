// property: memory   model: tso   truth: unsafe
// explore: unsafe   staged: unsafe
// property: memory   model: pso   truth: unsafe
// explore: unsafe   staged: unsafe
//
// A store that only enters the store buffer still needs its memory to be there.
#include <pthread.h>
#include <stdlib.h>

int *place;

static void *set(void *unused)
{
    *place = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    place = malloc(sizeof *place);
    pthread_create(&thread, 0, set, 0);
    free(place);
    pthread_join(thread, 0);
    return 0;
}
