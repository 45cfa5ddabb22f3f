// An atomic access is one, however wide; and where nothing disturbs the words they are put together again.
// property: unreach    truth: safe    data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

_Atomic long long g;
long long own;

void *put(void *arg) {
    g = -1;
    return arg;
}

int main(void) {
    pthread_t t;
    own = 0x123456789abcdef0;
    pthread_create(&t, 0, put, 0);
    long long seen = g;
    assert(seen == 0 || seen == -1);
    pthread_join(t, 0);
    assert(own == 0x123456789abcdef0 && own >> 32 == 0x12345678);
}
