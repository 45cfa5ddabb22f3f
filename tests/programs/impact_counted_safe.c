// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe

// Two threads append to a log under a lock, three entries each. That there is room follows from how often they go round: labels
// would unroll the loops, so their counters are told explicitly.

#include <assert.h>
#include <pthread.h>

int entries[6];
int used;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void append(int entry) {
    pthread_mutex_lock(&lock);
    assert(used < 6);
    entries[used] = entry;
    used++;
    pthread_mutex_unlock(&lock);
}

static void *writer(void *argument) {
    for (int i = 0; i < 3; i++) append(i);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, writer, 0);
    writer(0);
    pthread_join(other, 0);
    assert(used == 6);
    return 0;
}
