// Two workers hand a piece of work to each other for ever, in the manner of the PostgreSQL worker of table III of the paper
// behind the engine `impact`: who is woken finds the work. That needs the two stores to stay in order.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: unknown (bound)
// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe   staged: unknown (bound)
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

volatile int latch[2] = {1, 0};
volatile int flag[2] = {1, 0};

static void *work(int self) {
    for (;;) {
        while (!latch[self]) {
        }
        assert(flag[self]);
        latch[self] = 0;
        flag[self] = 0;
        flag[1 - self] = 1;
        latch[1 - self] = 1;
    }
    return 0;
}

static void *first(void *arg) { return work(0); }
static void *second(void *arg) { return work(1); }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
