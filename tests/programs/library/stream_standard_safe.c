// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// Functions that lock the stream, other streams, and one after the other.
#include <pthread.h>
#include <stdio.h>

static void *print(void *unused) {
    printf("one\n");
    puts("two");
    putchar('x');
    return unused;
}

int main(void) {
    pthread_t a;
    putchar_unlocked('a');
    pthread_create(&a, 0, print, 0);
    putchar('y');
    putc_unlocked('b', stderr);
    pthread_join(a, 0);
    putchar_unlocked('z');
    return 0;
}
