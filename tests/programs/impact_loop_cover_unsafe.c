// The head of a loop is reached from outside with x = 0 and from inside with x = 1. After the entry the reduction would not look
// at the reader; that it does after a round has to be handed over to the first visit, which covers the second.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int x, z;

void *reader(void *arg) {
    assert(x == 0);
    assert(z <= 1);
    return 0;
}

void *writer(void *arg) {
    z = 1;
    for (;;) {
        x = 0;
        x = 1;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
