// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: safe   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <string.h>

static void *tell(void *unused) {
    (void)strerror(1);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, tell, 0);
    (void)strerror(2);
    pthread_join(a, 0);
    return 0;
}
