// property: race   truth: safe
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
// rand_r and random are thread-safe; srand is called before there are threads.
#include <pthread.h>
#include <stdlib.h>

static void *roll(void *unused) {
    unsigned seed = 1;
    (void)rand_r(&seed);
    (void)random();
    return unused;
}

int main(void) {
    pthread_t a, b;
    srand(7);
    pthread_create(&a, 0, roll, 0);
    pthread_create(&b, 0, roll, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
