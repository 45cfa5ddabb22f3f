// property: atomicity   truth: unsafe
// explore: unsafe   staged: unsafe
// property: atomicity   truth: safe   args: -DUNSEEN
// explore: safe   staged: safe
//
// The access between the two is made in a round of a loop that changes nothing, and the second of the two waits for what
// comes after the loop.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int go;
int state, done;

void *watch(void *unused) {
    while (!atomic_load(&go)) {
#ifndef UNSEEN
        int seen = state;
        (void)seen;
#endif
    }
    done = 1;
    return NULL;
}

void *start(void *unused) {
    atomic_store(&go, 1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, watch, NULL);
    pthread_create(&b, NULL, start, NULL);
    state = 1;
    while (!done)
        ;
    state = 2;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
