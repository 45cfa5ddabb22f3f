// The example of section IV-C of the paper behind the engine `impact`, for steps that are larger than one action: all
// sides of the branch lead to the same place, and the reduction would look at the other thread after only one of them.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int x, z;

void *reader(void *arg) {
    assert(x == 0);
    assert(z <= 2);
    return 0;
}

void *writer(void *arg) {
    int which = __VERIFIER_nondet_int();
    if (which == 0)
        z = 1;
    else if (which == 1)
        x = 1;
    else
        z = 2;
    x = 0;
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
