// Emptying a set of signals writes all of it.
// property: memory    truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <signal.h>

int main(void) {
    char too_small[8];
    sigemptyset((sigset_t *)too_small);
    return 0;
}
