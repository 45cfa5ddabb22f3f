// The bytes of a mutex are cleared by a function of the library while it is held.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>
#include <strings.h>

pthread_mutex_t lock;

int main(void) {
    pthread_mutex_lock(&lock);
    bzero(&lock, sizeof lock);
    assert(pthread_mutex_trylock(&lock) != 0);
    return 0;
}
