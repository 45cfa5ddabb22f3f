// A long run for `heddle check -p race --slice run:1`: 16 threads, each of which takes one of eight locks ROUNDS times and
// changes what belongs to it, and its own cell of an array. With 1100 rounds a run has more than 100,000 shared accesses. There
// is no race, and locks and starts alone tell so.
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 1100
#endif
#define THREADS 16
#define CELLS 8

pthread_mutex_t lock[CELLS];
int cell[CELLS];
int own[THREADS];
atomic_int total;

void *work(void *arg) {
    int me = (int)(long)arg, at = me;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock[at % CELLS]);
        cell[at % CELLS] += i;
        pthread_mutex_unlock(&lock[at % CELLS]);
        own[me] += i;
        if (i % 16 == 0)
            atomic_fetch_add(&total, 1);
        at = (at * 5 + 3) & 1023;
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < CELLS; i++)
        pthread_mutex_init(&lock[i], 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
