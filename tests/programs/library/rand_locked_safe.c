// property: race   truth: safe
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
// A lock around all calls is enough, and so are calls one after the other.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *roll(void *unused) {
    pthread_mutex_lock(&lock);
    (void)rand();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    srand(1);
    pthread_create(&a, 0, roll, 0);
    pthread_create(&b, 0, roll, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return rand() == 0;
}
