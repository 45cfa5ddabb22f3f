// Bytes behind locks are written through indices that may be anything; none of them is of a lock.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

struct pool { pthread_mutex_t locks[2]; char names[5]; } pool;

void put(char *names, int at, char name) { names[at] = name; }

int main(void) {
    for (int i = 0; i < 2; i++)
        pthread_mutex_lock(&pool.locks[i]);
    for (int i = 0; i < 5; i++)
        put(pool.names, i, (char)('a' + i));
    assert(pool.names[4] == 'e');
    for (int i = 0; i < 2; i++)
        pthread_mutex_unlock(&pool.locks[i]);
    return 0;
}
