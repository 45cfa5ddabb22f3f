// Each thread gets the address of an element of its own.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

struct item { int value, sum; } items[3];

void *worker(void *arg) {
    struct item *own = arg;
    own->value = 1;
    own->sum += own->value;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, &items[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return items[1].sum;
}
