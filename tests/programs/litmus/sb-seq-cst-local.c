// A seq_cst load of a variable that no other thread reaches orders nothing: both may read 0.
// property: unreach   model: ra   truth: unsafe
// explore: unknown (mixed)   priori: unknown (mixed)   staged: unknown (mixed)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

void *left(void *arg) {
    atomic_int own = 0;
    atomic_store_explicit(&x, 1, memory_order_release);
    (void)atomic_load(&own);
    a = atomic_load_explicit(&y, memory_order_acquire);
    return arg;
}

void *right(void *arg) {
    atomic_int own = 0;
    atomic_store_explicit(&y, 1, memory_order_release);
    (void)atomic_load(&own);
    b = atomic_load_explicit(&x, memory_order_acquire);
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, left, NULL);
    pthread_create(&two, NULL, right, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(a || b);
    return 0;
}
