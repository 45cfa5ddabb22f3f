// Destructors run when the process is ended by exit, too.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdlib.h>

int is_done;

__attribute__((destructor)) void last(void) { assert(is_done == 0); }

int main(void) {
    is_done = 1;
    exit(0);
}
