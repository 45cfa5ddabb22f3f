// A thread ends inside the function of pthread_once: glibc lets the next call run it again.
// property: deadlock   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int n;

void initialise(void) {
    if (n++ == 0) pthread_exit(0);
}

void *f(void *arg) {
    pthread_once(&once, initialise);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    pthread_once(&once, initialise);
}
