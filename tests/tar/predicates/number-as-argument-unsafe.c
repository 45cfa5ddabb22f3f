// The number of a thread, handed to another, is not 0.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
void *first(void *arg) { return NULL; }
void *second(void *arg) {
    assert(arg == NULL);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, (void *)a);
    pthread_join(b, NULL);
    return 0;
}
