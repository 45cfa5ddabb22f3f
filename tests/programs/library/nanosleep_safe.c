// nanosleep reads the time when nobody writes it.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <time.h>

struct timespec when = {1, 0};

void *change(void *arg) {
    when.tv_sec = 5;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    pthread_join(thread, 0);
    nanosleep(&when, 0);
    return 0;
}
