// The first thread ends, and the process goes on: what is called at its end is not modelled then.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void last(void) { assert(0); }

void (*leave)(void *) = pthread_exit;

int main(void) {
    atexit(last);
    leave(NULL);
}
