// Addresses need not be small.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
_Atomic(uintptr_t) word;
int a;
void *thread(void *arg) {
    word = (uintptr_t)&a;
    return NULL;
}
int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    assert(word >> 32 == 0);
    return 0;
}
