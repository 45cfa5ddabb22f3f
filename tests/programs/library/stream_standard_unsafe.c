// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// printf always writes to stdout, which a function that does not lock it must not use at the same time (POSIX getc_unlocked).
#include <pthread.h>
#include <stdio.h>

static void *print(void *unused) {
    printf("one\n");
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, print, 0);
    putchar_unlocked('x');
    pthread_join(a, 0);
    return 0;
}
