// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// Two threads wait for each other for ever, but main does not wait for them and ends the process.
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void *ab(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *ba(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, ab, 0);
    pthread_create(&other, 0, ba, 0);
    return 0;
}
