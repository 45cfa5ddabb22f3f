// The lock of one device is held when another one is used.
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

static void use(struct device *device) {
    pthread_mutex_lock(&device->lock);
    device->next->count++;
    pthread_mutex_unlock(&device->lock);
}

static void use_own(struct device *device) {
    pthread_mutex_lock(&device->lock);
    device->count++;
    pthread_mutex_unlock(&device->lock);
}

void *worker(void *arg) {
    use(&devices[0]);
    return arg;
}

void *other(void *arg) {
    use_own(&devices[1]);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, other, NULL);
    return 0;
}
