// Whether a function takes the lock is told by a constant: calls that do and calls that do not are not the same.
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;

static void add(int amount, int is_held) {
    if (!is_held) {
        pthread_mutex_lock(&lock);
    }
    x += amount;
    if (!is_held) {
        pthread_mutex_unlock(&lock);
    }
}

void *worker(void *arg) {
    add(1, 0);
    pthread_mutex_lock(&lock);
    add(2, 1);
    add(3, 1);
    pthread_mutex_unlock(&lock);
    add(4, 0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
