// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// Neighbouring structures do not share a memory location, nor do their bit-fields with those of another structure that
// has the same words, whichever way the structure is reached.
#include <pthread.h>

struct one {
    unsigned a : 24, b : 24, c : 24;
};

struct split {
    unsigned a : 24, b : 24, : 0, c : 24;
};

struct one array[2];
struct split split;

void *first(void *unused) {
    array[0].c = 1;
    split.a = 1;
    return 0;
}

void *second(void *of) {
    struct one *one = of;
    struct split *other = &split;
    one->a = 2;
    other->c = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, &array[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
