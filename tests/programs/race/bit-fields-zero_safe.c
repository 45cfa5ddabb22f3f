// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// A bit-field of width zero ends a memory location, and so does a member that is no bit-field (C11 3.14).
#include <pthread.h>

struct {
    unsigned a : 24, b : 24, : 0, c : 24, d : 24;
    int between;
    unsigned e : 3;
} s;

void *first(void *unused) {
    s.b = 1;
    return 0;
}

void *second(void *unused) {
    s.c = 2;
    return 0;
}

void *third(void *unused) {
    s.e = 3;
    s.between = 4;
    return 0;
}

int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_create(&three, 0, third, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
    return 0;
}
