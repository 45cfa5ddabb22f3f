// The mutex that is cleared is held: it is the one that was given, on one way, not the one that the parameter is set to.
// property: race    truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)
#include <pthread.h>
#include <string.h>

extern _Bool __VERIFIER_nondet_bool(void);
struct account {
    int money;
    char name[60];
    pthread_mutex_t lock;
} first = {0, "", PTHREAD_MUTEX_INITIALIZER}, second;

static void clear(char *bytes) {
    if (__VERIFIER_nondet_bool()) bytes = (char *)&second;
    memset(bytes, 0, sizeof(pthread_mutex_t));
}

void *run(void *arg) {
    pthread_mutex_lock(&first.lock);
    first.money++;
    pthread_mutex_unlock(&first.lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&first.lock);
    clear((char *)&first.lock);
    pthread_create(&thread, 0, run, 0);
    pthread_mutex_unlock(&first.lock);
    pthread_join(thread, 0);
    return 0;
}
