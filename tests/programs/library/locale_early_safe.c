// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// setlocale before there are threads and after they have ended, and beside functions that the locale does not affect.
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *print(void *unused) {
    printf("%f\n", 0.5);
    return unused;
}

static void *measure(void *unused) {
    (void)strlen("abc");
    puts("x");
    return unused;
}

int main(void) {
    pthread_t a, b;
    setlocale(LC_ALL, "C");
    pthread_create(&a, 0, print, 0);
    printf("%f\n", 0.25);
    pthread_join(a, 0);
    pthread_create(&b, 0, measure, 0);
    setlocale(LC_ALL, "C");
    pthread_join(b, 0);
    return 0;
}
