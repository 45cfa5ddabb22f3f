// Who reads the second flag set finds the first one set.
// property: unreach   truth: safe
// tar: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int first, second;

void *writer(void *arg) {
    first = 1;
    second = 1;
    return NULL;
}

void *reader(void *arg) {
    if (second == 1) assert(first == 1);
    return NULL;
}

int main(void) {
    pthread_t id;
    while (1) {
        pthread_create(&id, NULL, writer, NULL);
        pthread_create(&id, NULL, reader, NULL);
    }
}
