// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdio.h>

static void *get(void *unused) {
    getchar();
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, get, 0);
    getchar_unlocked();
    pthread_join(a, 0);
    return 0;
}
