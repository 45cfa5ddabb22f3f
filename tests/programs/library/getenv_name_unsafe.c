// getenv reads the name.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdlib.h>

static char name[] = "HOME";

static void *look(void *unused) {
    (void)getenv(name);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, look, 0);
    name[0] = 'h';
    pthread_join(a, 0);
    return 0;
}
