// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// It has read three times, and unlocks a fourth time what another thread reads under.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *read_one(void *unused) {
    pthread_rwlock_rdlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, read_one, 0);
    pthread_join(a, 0);
    for (int i = 0; i < 3; i++) pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 4; i++) pthread_rwlock_unlock(&lock);
    return 0;
}
