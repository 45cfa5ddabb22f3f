// Threads insert four messages each into a hash table by compare-exchange, in the manner of Flanagan and Godefroid (POPL
// 2005): up to 11 threads no two messages meet in a slot, from 12 on there are collisions. N is the number of threads.
// Property unreach: no collision happens at the slot ENTRY. Safe for 0; unsafe for 25 if N is at least 12.
//
// SIZE is 128 in the original. With 32 threads such a table is full at the end, an insertion may try 99 slots before it
// finds a free one, and that it never tries more is a pigeonhole argument about all threads, which is out of reach
// for a solver that resolves clauses. With 256 slots no message meets one of another slot, and an insertion tries three.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif
#ifndef SIZE
#define SIZE 256
#endif
#ifndef ENTRY
#define ENTRY 0
#endif
#define MAX 4

atomic_int table[SIZE];

static int hash(int message)
{
    return message * 7 % SIZE;
}

static void *worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    for (int m = 1; m <= MAX; m++) {
        int message = m * 11 + id;
        int slot = hash(message);
        int expected = 0;
        while (!atomic_compare_exchange_strong(&table[slot], &expected, message)) {
            assert(slot != ENTRY);
            slot = (slot + 1) % SIZE;
            expected = 0;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
