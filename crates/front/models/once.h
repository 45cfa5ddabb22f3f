/* Initialisation that happens once, for pthread_once, call_once and the guards of C++: the cell is 0 before, 1 while
 * it runs, 2 after it. A thread that comes while it runs, even the running one itself, waits.
 */
#ifndef HEDDLE_ONCE_H
#define HEDDLE_ONCE_H

#include "heddle.h"

enum { ONCE_BEFORE, ONCE_RUNNING, ONCE_DONE };

/* Whether the caller has to run the initialisation. */
ALWAYS int once_enter(void *once) {
    int *cell = __heddle_ghost(once);
    for (;;) {
        int old = ONCE_BEFORE;
        if (__atomic_compare_exchange_n(cell, &old, ONCE_RUNNING, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) return 1;
        if (old == ONCE_DONE) return 0;
        __heddle_await(cell, HEDDLE_NE, ONCE_RUNNING, 0, HEDDLE_BLOCKING, "once");
    }
}

ALWAYS void once_leave(void *once, int state) {
    cell_release(__heddle_ghost(once), state);
}

#endif
