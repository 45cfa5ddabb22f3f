// An array of mutexes is cleared while one of them is held: in practice it is free then.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>
#include <string.h>

pthread_mutex_t locks[3];

int main(void) {
    int taken = 0;
    for (int round = 0; round < 2; round++) {
        memset(locks, 0, sizeof locks);
        for (int i = 0; i < 3; i++) taken += pthread_mutex_trylock(&locks[i]) == 0;
    }
    assert(taken == 3);
    return 0;
}
