// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe   args: -DPOINTER
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: safe   args: -DAPART
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race   truth: unsafe   data-model: ilp32   args: -DSHORT
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Bit-fields that fill machine words are adjacent also where a program only assigns them.
#include <pthread.h>

struct words {
#ifdef SHORT
    unsigned a : 32, b : 32;
#else
    long long a : 64;
#ifdef APART
    long long : 0;
#endif
    long long b : 64;
#endif
} s;

void *first(void *argument) {
#ifdef POINTER
    struct words *words = argument;
    words->a = 1;
#else
    s.a = 1;
#endif
    return argument;
}

void *second(void *argument) {
    s.b = 1;
    return argument;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, &s);
    pthread_create(&other, 0, second, &s);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
