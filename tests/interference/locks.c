// N threads go round LOCKS locks, R times each, and under each one move M counters a step: 0, 1, 2, and 0 again. Nobody ever
// finds more than 2; with -DWRONG it is claimed that the first thread does not even find that at the end.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#ifndef R
#define R 4
#endif
#ifndef LOCKS
#define LOCKS 4
#endif
#ifndef M
#define M 3
#endif

pthread_mutex_t locks[LOCKS];
int counters[LOCKS][M];

// What a counter moves to depends on what the thread has found before.
static int step(int lock, int index, int before)
{
    int found = counters[lock][index];
    if (found == 0)
        counters[lock][index] = 1;
    else if (found == 1)
        counters[lock][index] = 2;
    else if (before != 2)
        counters[lock][index] = 0;
    return found;
}

static void *worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    int found = 0;
    for (int round = 0; round < R; round++) {
        int lock = (id * 3 + round) % LOCKS;
        pthread_mutex_lock(&locks[lock]);
        for (int index = 0; index < M; index++) found = step(lock, index, found);
        pthread_mutex_unlock(&locks[lock]);
    }
#ifdef WRONG
    if (id == 0) assert(found < 2);
#else
    if (id == 0) assert(found <= 2);
#endif
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&locks[i], 0);
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
