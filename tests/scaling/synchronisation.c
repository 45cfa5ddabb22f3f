// N threads that pass results on in different ways: a field under a lock, a flag with release and acquire, a counter that
// the last one to arrive resets, and join. Property race: safe. With -DWRONG the flag is set before what it announces.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum, generation;
int results[N];
atomic_int ready[N];
atomic_int arrived;

static void announce(int id, int value)
{
#ifdef WRONG
    atomic_store_explicit(&ready[id], 1, memory_order_release);
    results[id] = value;
#else
    results[id] = value;
    atomic_store_explicit(&ready[id], 1, memory_order_release);
#endif
}

static int receive(int from)
{
    return atomic_load_explicit(&ready[from], memory_order_acquire) ? results[from] : 0;
}

static void *worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    announce(id, 2 * id);
    int neighbour = receive((id + 1) % N);
    pthread_mutex_lock(&lock);
    sum += neighbour;
    pthread_mutex_unlock(&lock);
    if (atomic_fetch_add(&arrived, 1) == N - 1) {
        pthread_mutex_lock(&lock);
        generation++;
        sum = 0;
        pthread_mutex_unlock(&lock);
        atomic_store(&arrived, 0);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return sum + generation + results[0];
}
