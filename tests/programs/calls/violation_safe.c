// The same function is called where its argument is right, and where the call is not reached.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x;

static int checked(int value, int most) {
    int doubled = value * 2;
    assert(doubled <= most);
    return doubled;
}

void *writer(void *arg) {
    x = checked(1, 2);
    x = 3;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int first = checked(x, 6);
    if (first > 6) {
        checked(x, 0);
    }
    pthread_join(thread, 0);
    return 0;
}
