// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe   libc: glibc
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <locale.h>
#include <pthread.h>

static void *choose(void *unused) {
    setlocale(LC_ALL, "C");
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, choose, 0);
    setlocale(LC_ALL, "C");
    pthread_join(a, 0);
    return 0;
}
