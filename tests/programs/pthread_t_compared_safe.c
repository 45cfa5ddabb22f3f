// Numbers of threads may be passed on and compared with each other and with 0.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

pthread_t owner, threads[2];

void *f(void *arg) {
    pthread_t own = pthread_self();
    assert(own != 0 && own != owner && pthread_equal(own, pthread_self()));
    return arg;
}

int main(void) {
    owner = pthread_self();
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, f, 0);
    assert(threads[0] != threads[1]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
