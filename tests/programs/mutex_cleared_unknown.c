// The bytes of a mutex are cleared while it is held: in practice it is free then.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unsupported)   priori: unknown (unsupported)   staged: unknown (unsupported)
#include <assert.h>
#include <pthread.h>
#include <string.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;

void *work(void *arg) {
    pthread_mutex_lock(&lock);
    int old = x;
    if (arg) memset(&lock, 0, sizeof lock);
    x = old + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(&x);
    pthread_join(thread, 0);
    assert(x == 2);
    return 0;
}
