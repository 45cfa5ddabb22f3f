// property: atomicity   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DLOCKED
// explore: safe   staged: safe
//
// What a thread has just written it reads back, and may find what another thread wrote.
#include <pthread.h>
#include <stddef.h>

int result;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef LOCKED
#define LOCK pthread_mutex_lock(&mutex)
#define UNLOCK pthread_mutex_unlock(&mutex)
#else
#define LOCK
#define UNLOCK
#endif

void *work(void *unused) {
    LOCK;
    result = 1;
    int mine = result;
    (void)mine;
    UNLOCK;
    return NULL;
}

void *other(void *unused) {
    LOCK;
    result = 2;
    UNLOCK;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
