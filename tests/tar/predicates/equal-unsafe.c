// Two variables that are equal while nobody holds the lock are compared without it.
// property: unreach   truth: unsafe
// tar: unknown
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
    assert(a == b);
    return NULL;
}

int main(void) {
    pthread_t id;
    while (1) {
        pthread_create(&id, NULL, worker, NULL);
        pthread_create(&id, NULL, checker, NULL);
    }
}
