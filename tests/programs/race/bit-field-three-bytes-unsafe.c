// Two bit-fields that fill three bytes each are one memory location.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>

struct __attribute__((packed)) {
    unsigned first : 24;
    unsigned second : 24;
} s;

static void *set(void *arg) {
    s.first = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    s.second = 1;
    pthread_join(t, 0);
    return 0;
}
