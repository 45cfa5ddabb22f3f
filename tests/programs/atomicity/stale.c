// property: atomicity   truth: unsafe
// explore: unsafe   staged: unsafe
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// property: atomicity   truth: unsafe   args: -DDECIDES
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DINDEPENDENT
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DREAD_AGAIN
// explore: safe   staged: safe
//
// A lock around each access is enough against races, but not where what is written depends on what was read in an earlier
// critical section. Two sections that have nothing to do with each other are two.
#include <pthread.h>
#include <stddef.h>

int count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    int seen = count;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#if defined DECIDES
    if (seen == 0)
        count = 1;
#elif defined INDEPENDENT
    count = 1;
#elif defined READ_AGAIN
    if (seen == 0 && count == 0)
        count = seen + 1;
#else
    count = seen + 1;
#endif
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
