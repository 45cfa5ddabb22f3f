// property: race   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
//
// Which of the two structures `of` points to is not visible in what clang makes of it.
#include <pthread.h>

struct one {
    unsigned a : 24, b : 24, c : 24;
} s;

struct split {
    unsigned a : 24, b : 24, : 0, c : 24;
} split;

void *first(void *of) {
    ((struct one *)of)->a = 1;
    return 0;
}

int main(void) {
    pthread_t one;
    split.a = 1;
    pthread_create(&one, 0, first, &s);
    s.c = 2;
    pthread_join(one, 0);
    return 0;
}
