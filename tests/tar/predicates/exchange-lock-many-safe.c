// A spin lock that is taken by an exchange, whatever was there before: who finds it free has it.
// property: race   truth: safe
// tar: safe
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int value;

void *work(void *arg) {
    while (atomic_exchange(&taken, 1) != 0) {
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
