// Example 1 of Thread-modular abstraction refinement (CAV 2003) for any number of threads, with a mutex.
// property: race   truth: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *thread(void *arg) {
    while (1) {
        pthread_mutex_lock(&m);
        x = 1;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t id;
    while (1) pthread_create(&id, NULL, thread, NULL);
}
