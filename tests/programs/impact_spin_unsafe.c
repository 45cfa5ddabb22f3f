// A lock that is tested and taken in two steps.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int inside;

void *worker(void *arg) {
    for (;;) {
        while (atomic_load(&taken))
            ;
        atomic_store(&taken, 1);
        inside++;
        assert(inside == 1);
        inside--;
        atomic_store(&taken, 0);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
