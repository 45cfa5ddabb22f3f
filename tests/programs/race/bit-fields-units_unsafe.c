// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Adjacent bit-fields are one memory location (C11 3.14), although two machine words hold these.
#include <pthread.h>

struct {
    unsigned a : 24, b : 24, c : 24, d : 24;
} s;

void *first(void *unused) {
    s.b = 1;
    return 0;
}

void *second(void *unused) {
    s.c = 2;
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
