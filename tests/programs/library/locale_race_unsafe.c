// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe   libc: glibc
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// setlocale may race with functions that the locale affects (C11 7.11.1.1p5).
#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static void *print(void *unused) {
    printf("%f\n", 0.5);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, print, 0);
    setlocale(LC_ALL, "C");
    pthread_join(a, 0);
    return 0;
}
