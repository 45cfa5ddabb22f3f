// A sleeper and one that wakes it, round after round, in the manner of the program of the Sober tool in table III of the paper
// behind the engine `impact`: each says what it does before it looks at what the other one does, so one of them sees
// the other. Without fences both may look first.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: unknown (bound)
// property: unreach   model: tso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   args: -DFENCE
// explore: safe   impact: safe   priori: safe   staged: unknown (bound)
// property: unreach   model: tso   truth: safe   args: -DFENCE
// explore: safe   priori: safe   staged: unknown (bound)
// property: unreach   model: pso   truth: safe   args: -DFENCE
// explore: safe   priori: safe   staged: unknown (bound)
#include <assert.h>
#include <pthread.h>

volatile int waits, has_work;
volatile int saw_work, saw_sleeper;

static void *sleeper(void *arg) {
    waits = 1;
#ifdef FENCE
    __sync_synchronize();
#endif
    saw_work = has_work;
    return 0;
}

static void *waker(void *arg) {
    has_work = 1;
#ifdef FENCE
    __sync_synchronize();
#endif
    saw_sleeper = waits;
    return 0;
}

int main(void) {
    for (;;) {
        pthread_t a, b;
        waits = has_work = 0;
        pthread_create(&a, 0, sleeper, 0);
        pthread_create(&b, 0, waker, 0);
        pthread_join(a, 0);
        pthread_join(b, 0);
        assert(saw_work || saw_sleeper);
    }
    return 0;
}
