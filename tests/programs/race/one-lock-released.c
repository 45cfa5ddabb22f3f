// Two accesses that each come after an acquisition of the same lock, but one of them after its release as well, on one path.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, early;

void *one(void *arg) {
    pthread_mutex_lock(&lock);
    if (early) pthread_mutex_unlock(&lock);
    x = 1;
    if (!early) pthread_mutex_unlock(&lock);
    return arg;
}

void *two(void *arg) {
    pthread_mutex_lock(&lock);
    x = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    early = 1;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
