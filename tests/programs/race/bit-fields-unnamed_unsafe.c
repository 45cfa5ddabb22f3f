// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// An unnamed bit-field whose width is not zero does not end a memory location.
#include <pthread.h>

struct inner {
    unsigned a : 24, : 8, b : 24, c : 24;
};

struct {
    int before;
    struct inner inner[2];
} s;

void *first(void *unused) {
    s.inner[1].a = 1;
    return 0;
}

void *second(void *unused) {
    s.inner[1].c++;
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
