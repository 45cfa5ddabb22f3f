// An array of mutexes may be cleared while none of them is in use.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <string.h>

pthread_mutex_t locks[3];

int main(void) {
    int taken = 0;
    for (int round = 0; round < 2; round++) {
        memset(locks, 0, sizeof locks);
        for (int i = 0; i < 3; i++) taken += pthread_mutex_trylock(&locks[i]) == 0;
        for (int i = 0; i < 3; i++) pthread_mutex_unlock(&locks[i]);
    }
    assert(taken == 6);
    return 0;
}
