// The first byte of a mutex in an array is part of it: on x86, it is the one that says that it is held.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (undefined)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

pthread_mutex_t locks[3];
int x;

void clear(pthread_mutex_t *lock, int which) { ((char *)&lock[which])[0] = 0; }

void *set(void *arg) {
    for (int i = 0; i < 2; i++)
        pthread_mutex_lock(&locks[i]);
    x = 1;
    for (int i = 0; i < 2; i++)
        pthread_mutex_unlock(&locks[i]);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    for (int i = 0; i < 2; i++)
        pthread_mutex_lock(&locks[i]);
    clear(locks, 0);
    clear(locks, 1);
    int before = x;
    assert(x == before);
    for (int i = 0; i < 2; i++)
        pthread_mutex_unlock(&locks[i]);
    return 0;
}
