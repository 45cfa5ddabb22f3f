// Two signals at the same time wake two threads: neither takes the other's.
// property: deadlock   truth: safe
// explore: safe   impact: unknown (time)   staged: safe
#include <threads.h>

mtx_t mutex;
cnd_t condition;
int waiting;

int wait(void *arg) {
    mtx_lock(&mutex);
    waiting++;
    cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
    return 0;
}

int signal_one(void *arg) { return cnd_signal(&condition); }

int main(void) {
    thrd_t waiters[2], signaller;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    thrd_create(&waiters[0], wait, 0);
    thrd_create(&waiters[1], wait, 0);
    mtx_lock(&mutex);
    int both = waiting == 2;
    mtx_unlock(&mutex);
    if (!both)
        return 0;
    thrd_create(&signaller, signal_one, 0);
    signal_one(0);
    thrd_join(signaller, 0);
    thrd_join(waiters[0], 0);
    thrd_join(waiters[1], 0);
    return 0;
}
