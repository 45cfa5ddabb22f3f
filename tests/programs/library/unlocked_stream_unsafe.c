// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// putc_unlocked is only safe where the thread owns the stream.
#include <pthread.h>
#include <stdio.h>

void *write_one(void *unused) {
    putc_unlocked('a', stdout);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_one, 0);
    putchar_unlocked('b');
    pthread_join(thread, 0);
    return 0;
}
