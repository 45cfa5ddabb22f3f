// The destructor of a key runs, whatever the key was made by.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

extern int __pthread_key_create(pthread_key_t *, void (*)(void *));

pthread_key_t key;
int count;

void destroy(void *value) { count += *(int *)value; }

void *own(void *arg) {
    static int one = 1;
    pthread_setspecific(key, &one);
    return arg;
}

int main(void) {
    pthread_t thread;
    __pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, own, 0);
    pthread_join(thread, 0);
    assert(count == 0);
    return 0;
}
