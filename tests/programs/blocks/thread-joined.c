// The thread is joined before the block is left.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

void *worker(void *p) {
    *(int *)p = 1;
    return 0;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        int a = 0;
        pthread_create(&t, 0, worker, &a);
        pthread_join(t, 0);
        assert(a == 1);
    }
    return 0;
}
