// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// Three iterations are needed, each of which sees the other thread one step further, and leaves everything as it was. That the
// lock which they let go lies beside a condition variable makes no difference.
#include <pthread.h>

extern void reach_error(void);

struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
} s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
_Atomic int x, y;

static void *watcher(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&s.lock);
    int is_early = x == 0;
    while (is_early) {
        int before = x;
        pthread_mutex_unlock(&s.lock);
        int between = y;
        pthread_mutex_lock(&s.lock);
        int after = x;
        if (between != before || after > between + 1) break;
        if (after == 3) reach_error();
    }
    pthread_mutex_unlock(&s.lock);
    return 0;
}

static void *stepper(void *unused)
{
    (void)unused;
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&s.lock);
        x = i;
        pthread_mutex_unlock(&s.lock);
        y = i;
    }
    return 0;
}

static void *waiter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&s.lock);
    pthread_cond_wait(&s.changed, &s.lock);
    pthread_mutex_unlock(&s.lock);
    return 0;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, 0, watcher, 0);
    pthread_create(&id, 0, stepper, 0);
    pthread_create(&id, 0, waiter, 0);
    return 0;
}
