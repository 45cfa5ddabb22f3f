// An index that leads out of its array into a held mutex.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

struct guarded { int values[4]; pthread_mutex_t mutex; } guarded;

int main(void) {
    pthread_mutex_lock(&guarded.mutex);
    for (int i = 0; i < 5; i++)
        guarded.values[i] = 1;
    assert(guarded.values[0] == 1);
    pthread_mutex_unlock(&guarded.mutex);
    return 0;
}
