// property: race   data-model: ilp32   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// The same with machine words of 32 bits, and one thread only reads, through a pointer.
#include <pthread.h>

struct flags {
    unsigned a : 24, b : 24;
};

struct flags s;

void *first(void *unused) {
    s.b = 1;
    return 0;
}

void *second(void *of) {
    struct flags *flags = of;
    return flags->a ? of : 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, &s);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
