// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A thread waits for a lock in an atomic region, so that the owner cannot release it.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, hold, 0);
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
    return 0;
}
