// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: safe   libc: glibc
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
// By C11 7.27.3 asctime and localtime may race with each other; in glibc they have different results.
#include <pthread.h>
#include <time.h>

static struct tm date;

static void *tell(void *unused) {
    (void)asctime(&date);
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
