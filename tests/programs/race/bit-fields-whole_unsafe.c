// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Bit-fields that fill machine words are adjacent, too.
#include <pthread.h>

struct words {
    long long a : 64, b : 64;
} s;

void *first(void *unused) {
    s.a = 1;
    return 0;
}

void *second(void *unused) {
    return s.b ? &s : 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
