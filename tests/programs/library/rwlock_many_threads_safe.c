// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
// The fortieth thread reads.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int count;

static void *read_or_not(void *unused) {
    if (++count < 39) return unused;
    pthread_rwlock_rdlock(&lock);
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
