// One function that is called 200 times by N threads together: it mixes a key with arithmetic, and replaces what a table has
// at the place that comes out. Property unreach: the place is in the table. Safe.
// What is measured is stage 1: the function is the same at each call, its argument is not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 4
#endif
#define CALLS (200 / N)
#define SIZE 256

atomic_uint table[SIZE];

static unsigned mix(unsigned key)
{
    for (int i = 0; i < 8; i++) key = (key ^ (key >> 3)) + (key << 2) + 0x9e37u;
    return key;
}

static void visit(unsigned key)
{
    unsigned mixed = mix(key), place = mixed % SIZE;
    assert(place < SIZE);
    unsigned old = atomic_load(&table[place]);
    if (old != mixed) atomic_store(&table[place], mixed);
}

static void *worker(void *argument)
{
    unsigned id = (unsigned)(intptr_t)argument;
    for (unsigned i = 0; i < CALLS; i++) visit(id * CALLS + i);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    return 0;
}
