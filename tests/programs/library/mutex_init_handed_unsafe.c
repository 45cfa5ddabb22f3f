// A mutex that a thread initialises while others run is handed over without release.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t lock;
atomic_int is_ready;
int x;

void *work(void *arg) {
    if (!atomic_load_explicit(&is_ready, memory_order_acquire)) return NULL;
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_init(&lock, NULL);
    atomic_store_explicit(&is_ready, 1, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
