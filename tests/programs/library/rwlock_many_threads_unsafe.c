// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unknown (validation)
// The fortieth thread unlocks what another thread reads under.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int count;

static void *read_or_not(void *unused) {
    if (++count < 39) return unused;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 39; i++) {
        pthread_t a;
        pthread_create(&a, 0, read_or_not, 0);
        pthread_join(a, 0);
    }
    return 0;
}
