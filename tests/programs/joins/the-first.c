// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
//
// A thread joins the one that started it, and sees everything that it did.
#include <assert.h>
#include <pthread.h>

pthread_t parent;
int data;

void *child(void *arg) {
    pthread_join(parent, 0);
    assert(data != 2);
    return 0;
}

int main(void) {
    pthread_t t;
    parent = pthread_self();
    pthread_create(&t, 0, child, 0);
    data = 1;
    data = 2;
    pthread_exit(0);
}
