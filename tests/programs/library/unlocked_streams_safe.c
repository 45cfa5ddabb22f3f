// property: race   truth: safe
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
//
// Two streams, or one guarded by a lock: no race.
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *write_one(void *unused) {
    pthread_mutex_lock(&mutex);
    fputs_unlocked("a", stdout);
    pthread_mutex_unlock(&mutex);
    putc_unlocked('b', stderr);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_one, 0);
    pthread_mutex_lock(&mutex);
    putchar_unlocked('c');
    pthread_mutex_unlock(&mutex);
    (void)getchar_unlocked();
    pthread_join(thread, 0);
    return 0;
}
