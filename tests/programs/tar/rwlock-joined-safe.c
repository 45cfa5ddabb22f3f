// A set of words that two threads fill and look into; it is destroyed when they have ended.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>

static struct {
    pthread_rwlock_t lock;
    int words[8];
    int count;
} set;

static int has(int word) {
    int found = 0;
    pthread_rwlock_rdlock(&set.lock);
    for (int i = 0; i < 8; i++)
        if (i < set.count && set.words[i] == word) found = 1;
    pthread_rwlock_unlock(&set.lock);
    return found;
}

static void add(int word) {
    pthread_rwlock_wrlock(&set.lock);
    int count = set.count;
    if (count >= 0 && count < 8) {
        set.words[count] = word;
        set.count = count + 1;
    }
    pthread_rwlock_unlock(&set.lock);
}

static void *run(void *arg) {
    if (!has(7)) add(7);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_rwlock_init(&set.lock, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    pthread_rwlock_destroy(&set.lock);
    return 0;
}
