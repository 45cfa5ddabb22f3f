// The second call of a function that checks its argument is the one that can fail.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
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
    checked(x, first ? 6 : 4);
    pthread_join(thread, 0);
    return 0;
}
