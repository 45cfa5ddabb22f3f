// Nobody signals the C11 condition variable.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: unknown (bound)
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <threads.h>

mtx_t mutex;
cnd_t changed;
int is_ready;

int producer(void *arg) {
    (void)arg;
    mtx_lock(&mutex);
    is_ready = 1;
    thrd_yield();
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&thread, producer, 0);
    mtx_lock(&mutex);
    while (!is_ready) cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    thrd_join(thread, 0);
    cnd_destroy(&changed);
    return 0;
}
