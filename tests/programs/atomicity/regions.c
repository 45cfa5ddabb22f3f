// property: atomicity   truth: safe
// explore: safe   staged: safe
// property: atomicity   region: add   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   region: regions.c:39-40   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   region: regions.c:40-41   truth: safe
// explore: safe   staged: safe
// property: atomicity   region: add   truth: safe   args: -DWHOLE
// explore: safe   staged: safe
// property: atomicity   region: get   truth: safe
// explore: safe   staged: safe
//
// Every access has its lock. That a sum is one is known only if it is said: both accesses are in functions of
// their own.
#include <pthread.h>
#include <stddef.h>

int sum;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, whole = PTHREAD_MUTEX_INITIALIZER;

int get(void) {
    pthread_mutex_lock(&mutex);
    int value = sum;
    pthread_mutex_unlock(&mutex);
    return value;
}

void set(int value) {
    pthread_mutex_lock(&mutex);
    sum = value;
    pthread_mutex_unlock(&mutex);
}

void *add(void *unused) {
#ifdef WHOLE
    pthread_mutex_lock(&whole);
#endif
    int old = get();
    set(old + 1);
    int other = 0;
    (void)other;
#ifdef WHOLE
    pthread_mutex_unlock(&whole);
#endif
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
