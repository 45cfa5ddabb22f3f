// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe   libc: glibc
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// gmtime and localtime have one result for all calls.
#include <pthread.h>
#include <time.h>

static void *tell(void *unused) {
    time_t now = 0;
    (void)gmtime(&now);
    return unused;
}

int main(void) {
    time_t now = 1;
    pthread_t a;
    pthread_create(&a, 0, tell, 0);
    (void)localtime(&now);
    pthread_join(a, 0);
    return 0;
}
