// property: atomicity   region: main   truth: safe
// explore: safe   staged: safe
// property: atomicity   region: main   truth: unsafe   args: -DBEFORE
// explore: unsafe   staged: unsafe
//
// What a thread does that was started between the two accesses is part of what lies between them.
#include <pthread.h>
#include <stddef.h>

int x;

void *other(void *unused) {
    x = 2;
    return NULL;
}

int main(void) {
    pthread_t thread;
#ifdef BEFORE
    pthread_create(&thread, NULL, other, NULL);
    x = 1;
#else
    x = 1;
    pthread_create(&thread, NULL, other, NULL);
#endif
    pthread_join(thread, NULL);
    int seen = x;
    (void)seen;
    return 0;
}
