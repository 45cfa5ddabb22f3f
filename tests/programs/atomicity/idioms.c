// property: atomicity   truth: safe   args: -DEXCHANGE
// explore: safe   staged: safe
// property: atomicity   truth: unsafe   args: -DSTORE
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DCHECKED_TWICE
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DPOLLED
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DTEST_AND_SET
// explore: safe   staged: safe
// property: atomicity   truth: unsafe   args: -DTEST_THEN_SET
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DWAITED
// explore: safe   staged: safe
// property: atomicity   truth: safe   args: -DSECTIONS
// explore: safe   staged: safe
//
// What good programs do is no violation: a compare-exchange after a load, a check that is repeated under the lock, waiting
// for a variable, a lock made of an exchange, one critical section after the other,
// waiting for a condition under the lock. Where the load and the store
// of an atomic variable are two, although the store depends on the load, it is one.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int word;
int data, waiting;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *unused) {
#if defined EXCHANGE
    int old = atomic_load(&word);
    if (!atomic_compare_exchange_strong(&word, &old, old + 1))
        atomic_compare_exchange_strong(&word, &old, old + 1);
#elif defined STORE
    int old = atomic_load(&word);
    atomic_store(&word, old + 1);
#elif defined CHECKED_TWICE
    if (!atomic_load(&word)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load(&word)) {
            data = 1;
            atomic_store(&word, 1);
        }
        pthread_mutex_unlock(&mutex);
    }
#elif defined TEST_AND_SET
    while (atomic_exchange(&word, 1))
        ;
    data++;
    atomic_store(&word, 0);
#elif defined TEST_THEN_SET
    while (atomic_load(&word))
        ;
    atomic_store(&word, 1);
    data++;
    atomic_store(&word, 0);
#elif defined SECTIONS
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        data++;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    data++;
    pthread_mutex_unlock(&mutex);
#elif defined WAITED
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!data)
        pthread_cond_wait(&condition, &mutex);
    waiting--;
    pthread_mutex_unlock(&mutex);
#elif defined POLLED
    while (!data)
        ;
#endif
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
#ifdef POLLED
    data = 1;
#endif
#ifdef WAITED
    pthread_mutex_lock(&mutex);
    data = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
