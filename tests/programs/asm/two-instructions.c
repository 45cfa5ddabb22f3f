// The second one counts too.
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x, y, seen_x, seen_y;

static void *first(void *unused) {
    x = 1;
    __asm__ volatile("nop; mfence" ::: "memory");
    seen_y = y;
    return unused;
}

static void *second(void *unused) {
    y = 1;
    __asm__ volatile("pause\n\tmfence" ::: "memory");
    seen_x = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(seen_x || seen_y);
    return 0;
}
