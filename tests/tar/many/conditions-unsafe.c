// To be woken does not order what is done without the mutex.
// property: race   truth: unsafe
// tar: unknown
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int sum;

void *take(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&filled, &lock);
    pthread_mutex_unlock(&lock);
    sum++;
    return arg;
}

int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, take, 0);
        pthread_cond_broadcast(&filled);
    }
    return 0;
}
