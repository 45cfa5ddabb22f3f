// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// C11 7.26.5.1: thrd_create synchronises with the beginning of the new thread when it completes, the number stored.
#include <assert.h>
#include <threads.h>

static thrd_t thread;

static int run(void *unused) {
    (void)unused;
    assert(thrd_equal(thread, thrd_current()));
    return 0;
}

int main(void) {
    thrd_create(&thread, run, 0);
    thrd_join(thread, 0);
    return 0;
}
