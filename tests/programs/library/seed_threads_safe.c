// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
// property: race   truth: safe
// explore: unknown (inputs)   impact: safe   priori: safe   staged: safe
// A program that seeds once, before anybody draws, has fresh numbers.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *roll(void *unused) {
    pthread_mutex_lock(&lock);
    total += rand() % 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    unsigned now = (unsigned)time(NULL);
    if (now % 2) {
        srand(1);
    } else {
        srand(now);
    }
    pthread_create(&a, 0, roll, 0);
    pthread_create(&b, 0, roll, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total <= 2);
    return 0;
}
