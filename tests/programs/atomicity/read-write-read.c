// property: atomicity   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DLOCKED
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DSERIAL
// explore: safe   staged: safe
//
// A pointer is looked at and used: another thread may take it away between. With a lock it cannot, and a thread that only
// looks does no harm.
#include <pthread.h>
#include <stddef.h>

int thing;
int *pointer = &thing;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef LOCKED
#define LOCK pthread_mutex_lock(&mutex)
#define UNLOCK pthread_mutex_unlock(&mutex)
#else
#define LOCK
#define UNLOCK
#endif

void *other(void *unused) {
    LOCK;
#ifdef SERIAL
    int *seen = pointer;
    (void)seen;
#else
    pointer = NULL;
#endif
    UNLOCK;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    LOCK;
    if (pointer) {
        int *used = pointer;
        (void)used;
    }
    UNLOCK;
    pthread_join(thread, NULL);
    return 0;
}
