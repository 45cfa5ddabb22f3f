// property: race   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
// Two calls of getenv never race: nothing changes the environment. (What getenv finds is not modelled, so nothing is proved.)
#include <pthread.h>
#include <stdlib.h>

static void *look(void *unused) {
    (void)getenv("HOME");
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, look, 0);
    (void)getenv("PATH");
    pthread_join(a, 0);
    return 0;
}
