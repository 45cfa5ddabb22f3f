// A function that ends the program unless its argument is right: what comes after knows that it was.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

static void demand(int condition) {
    if (!condition) {
        abort();
    }
}

void *writer(void *arg) {
    x = 1;
    x = 2;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = x;
    demand(seen > 0);
    demand(seen != 1);
    assert(seen == 2);
    demand(0);
    assert(0);
    return 0;
}
