// Of two calls of sem_trywait one succeeds, and is a fence; the other comes later, and so does the load behind it.
// property: unreach   model: sc   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

int x, y, a, b;
sem_t s;
int c, d;

static void *left(void *unused) {
    x = 1;
    c = sem_trywait(&s);
    a = y;
    return unused;
}

static void *right(void *unused) {
    y = 1;
    d = sem_trywait(&s);
    b = x;
    return unused;
}

int main(void) {
    pthread_t one, two;
    sem_init(&s, 0, 1);
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a || b);
    return 0;
}
