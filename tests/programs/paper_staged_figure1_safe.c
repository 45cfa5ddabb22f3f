// Figure 1 of the staged analysis with a lock around each addition: then x is 3.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *add_one(void *arg) {
    pthread_mutex_lock(&lock);
    x = x + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

void *add_two(void *arg) {
    pthread_mutex_lock(&lock);
    x = x + 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add_one, 0);
    pthread_create(&b, 0, add_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 3);
    return 0;
}
