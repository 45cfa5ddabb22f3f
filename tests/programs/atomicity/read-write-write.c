// property: atomicity   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DLOCKED
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DATOMIC
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DREGION
// explore: safe   staged: safe
//
// The lost update.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#ifdef ATOMIC
atomic_int count;
#else
int count;
#endif
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *unused) {
#if defined LOCKED
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#elif defined REGION
    __VERIFIER_atomic_begin();
    count++;
    __VERIFIER_atomic_end();
#else
    count++;
#endif
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
