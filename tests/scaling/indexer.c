// Threads insert messages into a hash table of 128 slots by compare-exchange, in the manner of Flanagan and Godefroid
// (POPL 2005): up to 11 threads no two messages meet in a slot. N is the number of threads, WRONG makes one message
// collide with itself.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif
#define SIZE 128
#define MESSAGES 4

atomic_int table[SIZE];

static void *worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    for (int m = 0; m < MESSAGES; m++) {
        int message = (m + 1) * 11 + id + 1;
        int slot = (message * 7) % SIZE;
        int expected = 0;
        while (!atomic_compare_exchange_strong(&table[slot], &expected, message)) {
            slot = (slot + 1) % SIZE;
            expected = 0;
#ifdef WRONG
            assert(id != N - 1);
#endif
        }
        assert(slot >= 0 && slot < SIZE);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    int count = 0;
    for (int i = 0; i < SIZE; i++) count += table[i] != 0;
    assert(count == N * MESSAGES);
    return 0;
}
