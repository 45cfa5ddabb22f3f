// Which numbers threads have is a matter of the system: in glibc they are addresses.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
// property: race       truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

int slots[4];

void *f(void *arg) {
    slots[(unsigned long)pthread_self() % 4]++;
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, f, 0);
    pthread_create(&second, 0, f, 0);
    assert(first < second);
    pthread_join(first, 0);
    pthread_join(second, 0);
}
