// The pointer moves on while the lock is held.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

struct device {
    pthread_mutex_t lock;
    int count;
    struct device *next;
} devices[2] = {{PTHREAD_MUTEX_INITIALIZER, 0, &devices[1]}, {PTHREAD_MUTEX_INITIALIZER, 0, &devices[0]}};

void *worker(void *arg) {
    struct device *device = arg;
    struct device *locked = device;
    pthread_mutex_lock(&locked->lock);
    for (int i = 0; i < 2; i++) {
        device->count++;
        device = device->next;
    }
    pthread_mutex_unlock(&locked->lock);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &devices[0]);
    pthread_create(&two, NULL, worker, &devices[1]);
    return 0;
}
