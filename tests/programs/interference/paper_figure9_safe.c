// Figure 9 of Sinha and Wang, On interference abstractions, POPL 2011: a lock made of guarded assignments. That both threads take
// it from each other contradicts the order of events; that one finds it taken and goes on, its guard.
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int l, inside;

static void take(int id)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(l == 0);
    l = id;
    __VERIFIER_atomic_end();
}

static void section(int id)
{
    take(id);
    assert(inside == 0);
    inside = id;
    inside = 0;
    l = 0;
}

void *one(void *arg)
{
    section(1);
    return 0;
}

void *two(void *arg)
{
    section(2);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
