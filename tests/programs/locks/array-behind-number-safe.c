// Bytes before an array of locks are written through an index from the beginning of the structure.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

struct pool { int size; pthread_mutex_t lock[3]; } pool;

void set(struct pool *pool, int byte) { ((char *)pool)[byte] = 1; }

int main(void) {
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&pool.lock[i], 0);
    pthread_mutex_lock(&pool.lock[0]);
    set(&pool, 2);
    assert(pool.size == 1 << 16);
    pthread_mutex_unlock(&pool.lock[0]);
    return 0;
}
