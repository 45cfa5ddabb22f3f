// A plain access wider than the machine's words is several: another thread may find one half.
// property: unreach    truth: unsafe    data-model: ilp32
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

long long g;

void *put(void *arg) {
    g = -1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, put, 0);
    long long seen = g;
    assert(seen == 0 || seen == -1);
    pthread_join(t, 0);
}
