// property: unreach   model: ra   truth: unsafe
// explore: unsafe   priori: unsafe
//
// A byte that was never set is copied to shared memory: what is read there is not what was there before.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

unsigned char shared[4];

static void *copy(void *unused)
{
    unsigned char *fresh = malloc(1);
    memcpy(&shared[1], fresh, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    pthread_join(thread, 0);
    assert(shared[1] == 0);
    return 0;
}
