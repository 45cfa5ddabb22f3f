// An index may lead back from a pointer into an array: the held mutex that is cleared lies before it.
// property: unreach   truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (undefined)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

pthread_mutex_t locks[3];
int x;

void clear(pthread_mutex_t *lock, int which, int byte) { ((char *)&lock[which])[byte] = 0; }

void *set(void *arg) {
    pthread_mutex_lock(&locks[1]);
    x = 1;
    pthread_mutex_unlock(&locks[1]);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    pthread_mutex_lock(&locks[1]);
    for (int i = 0; i < (int)sizeof locks[1]; i++)
        clear(&locks[2], -1, i);
    int before = x;
    assert(x == before);
    pthread_mutex_unlock(&locks[1]);
    return 0;
}
