// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe   libc: glibc
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdlib.h>

static void *look(void *unused) {
    (void)getenv("HOME");
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, look, 0);
    setenv("HOME", "/", 1);
    pthread_join(a, 0);
    return 0;
}
