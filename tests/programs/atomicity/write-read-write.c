// property: atomicity   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DLOCKED
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DSERIAL
// explore: safe   staged: safe
//
// A value that is there only for a moment, and that another thread may read. Another thread that writes can come
// before or after both writes just as well.
#include <pthread.h>
#include <stddef.h>

int state;
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
    state = 1;
    state = 2;
    UNLOCK;
    return NULL;
}

void *other(void *unused) {
    LOCK;
#ifdef SERIAL
    state = 3;
#else
    int seen = state;
    (void)seen;
#endif
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
