// The same, and who does not find it free gives it back.
// property: race   truth: unsafe
// tar: unknown
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int value;

void *work(void *arg) {
    while (atomic_exchange(&taken, 1) != 0) {
        atomic_store(&taken, 0);
    }
    value = value + 1;
    atomic_store(&taken, 0);
    return arg;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
