// A process may start with a signal ignored.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <signal.h>

int main(void) {
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    return 0;
}
