// Any number of threads take from a buffer and wait for what it holds under its mutex.
// property: race   truth: safe
// tar: safe
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int count, sum;

void *take(void *arg) {
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&filled, &lock);
    count--;
    sum++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, take, 0);
        pthread_mutex_lock(&lock);
        count++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
