// property: race   truth: unsafe
// property: race   truth: unsafe   libc: glibc
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
