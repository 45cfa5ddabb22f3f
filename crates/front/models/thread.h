/* Starting threads, for pthread_create, thrd_create and std::thread.
 *
 * A thread that has something to do at its end (destructors of keys and of thread-local variables), or whose first
 * function is not of pthread's type, starts with a function of the models that finds the program's function and its
 * argument in a heap block, freed at once.
 */
#ifndef HEDDLE_THREAD_H
#define HEDDLE_THREAD_H

#include "heddle.h"

struct start {
    void *(*fn)(void *);
    void *arg;
};

ALWAYS struct start *new_start(void *(*fn)(void *), void *arg) {
    struct start *start = __heddle_alloc(sizeof(struct start), 16, 0);
    start->fn = fn;
    start->arg = arg;
    return start;
}

ALWAYS struct start take_start(void *block) {
    struct start start;
    start.fn = ((struct start *)block)->fn;
    start.arg = ((struct start *)block)->arg;
    __heddle_free(block);
    return start;
}

#endif
