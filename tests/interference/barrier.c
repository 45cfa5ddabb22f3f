// N threads go through R rounds of a barrier: each says that it has arrived, looks at its neighbours, and says under a lock
// whether it found them there. Nobody ever says anything else, so it is safe; with -DWRONG it is claimed that nobody ever
// finds all of them there.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#ifndef R
#define R 2
#endif
#ifndef NEIGHBOURS
#define NEIGHBOURS (N > 4 ? 4 : N - 1)
#endif

enum { IDLE, ARRIVED, RELEASED };

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int phase[N];
int gate;

static void *worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    for (int round = 0; round < R; round++) {
        phase[id] = ARRIVED;
        int waiting = 0;
        for (int other = 1; other <= NEIGHBOURS; other++)
            if (phase[(id + other) % N] == IDLE) waiting = 1;
        pthread_mutex_lock(&lock);
        if (waiting)
            gate = 2;
        else
            gate = 1;
        pthread_mutex_unlock(&lock);
        int found = gate;
        if (id == 0 && round == R - 1) {
#ifdef WRONG
            assert(found != 1);
#else
            assert(found <= 2);
#endif
        }
        if (found == 1)
            phase[id] = RELEASED;
        else
            phase[id] = IDLE;
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
