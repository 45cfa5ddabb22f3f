// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// Readers and writers that never wait while they hold the lock.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *write_one(void *unused) {
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static int read_one(void) {
    pthread_rwlock_rdlock(&lock);
    int value = x;
    pthread_rwlock_unlock(&lock);
    return value;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, write_one, 0);
    pthread_create(&b, 0, write_one, 0);
    int first = read_one();
    pthread_join(a, 0);
    pthread_join(b, 0);
    return first + read_one() > 4;
}
