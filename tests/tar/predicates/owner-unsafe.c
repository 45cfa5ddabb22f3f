// Example 1 with a lock that the second thread does not wait for.
// property: race   truth: unsafe
// tar: unknown
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int m;
int x;

void *thread(void *arg) {
    int self = arg != NULL ? 1 : 2;
    while (1) {
        int free = 0;
        while (!atomic_compare_exchange_strong(&m, &free, self) && self == 1) free = 0;
        x = self;
        atomic_store(&m, 0);
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, thread, &x);
    pthread_create(&second, NULL, thread, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
