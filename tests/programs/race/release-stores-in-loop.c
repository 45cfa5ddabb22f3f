// A store after a release store may overtake that one under pso, but nothing that came before it.
// property: race   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stddef.h>

int x, y;

void *write_both(void *unused) {
    for (int i = 0; i < 2; i++) {
        __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
        y = 0;
    }
    return NULL;
}

void *read_both(void *unused) {
    __atomic_load_n(&y, __ATOMIC_SEQ_CST);
    __atomic_load_n(&x, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, write_both, NULL);
    pthread_create(&two, NULL, read_both, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
