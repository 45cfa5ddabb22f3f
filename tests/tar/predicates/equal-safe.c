// What two variables have in common while nobody holds the lock, for any number of threads.
// property: unreach   truth: safe
// tar: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a, b;

void *worker(void *arg) {
    while (1) {
        pthread_mutex_lock(&m);
        a++;
        b++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

void *checker(void *arg) {
    pthread_mutex_lock(&m);
    assert(a == b);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t id;
    while (1) {
        pthread_create(&id, NULL, worker, NULL);
        pthread_create(&id, NULL, checker, NULL);
    }
}
