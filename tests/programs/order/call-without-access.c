// A function without shared accesses, and one with an access on one path only, between two writes: the writes stay ordered.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x, y, z;

static int local(int value) {
    return value * 3 + 1;
}

static void sometimes(int value) {
    if (value > 100) z = value;
}

void *writer(void *arg) {
    x = 1;
    int value = local(2);
    sometimes(value);
    y = value;
    return arg;
}

void *reader(void *arg) {
    if (y == 7) assert(x == 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
