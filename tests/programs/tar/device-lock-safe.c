// Each device has a lock of its own.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

struct device {
    pthread_mutex_t lock;
    int count;
    struct device *next;
} devices[2] = {{PTHREAD_MUTEX_INITIALIZER, 0, &devices[1]}, {PTHREAD_MUTEX_INITIALIZER, 0, &devices[0]}};

static void use(struct device *device) {
    pthread_mutex_lock(&device->lock);
    device->count++;
    pthread_mutex_unlock(&device->lock);
}

void *worker(void *arg) {
    for (int i = 0; i < 2; i++) use(&devices[i]);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    return 0;
}
