// A thread gets the address of a variable that is declared before the first case, and uses it after the block.
// property: memory   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
#include <pthread.h>

static void *set(void *p) {
    *(int *)p = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    switch (0) {
        int x;
    case 0: pthread_create(&t, 0, set, &x);
    }
    pthread_join(t, 0);
    return 0;
}
