// A number is used again: the second thread finds that it holds a lock that it never took.
// property: unreach   truth: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *keep(void *arg) {
    pthread_mutex_lock(&m);
    return NULL;
}

void *release(void *arg) {
    pthread_mutex_unlock(&m);
    x = 1;
    return NULL;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, keep, NULL);
    pthread_join(id, NULL);
    pthread_create(&id, NULL, release, NULL);
    pthread_join(id, NULL);
    assert(x == 0);
    return 0;
}
