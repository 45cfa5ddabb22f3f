// A long run for `heddle check -p race --slice run:1`: 16 threads hand something on in a ring by an atomic variable, so that locks
// do not tell that there is no race, but what each thread must have read does. With 1600 rounds a run has more than 100,000 shared accesses.
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 1600
#endif
#define THREADS 16

atomic_int turn;
int data;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int cell;

void *work(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (atomic_load(&turn) == me) {
            data += 1;
            atomic_store(&turn, (me + 1) % THREADS);
        }
        pthread_mutex_lock(&lock);
        cell += i;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
