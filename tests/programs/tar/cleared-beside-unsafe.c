// Another thread sees a number of which some bytes are cleared and some are not yet.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe
// tar: unknown
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct {
    char first;
    int second __attribute__((packed));
} x;

void *worker(void *arg) {
    memset(&x, 0, sizeof x);
    return arg;
}

int main(void) {
    pthread_t thread;
    x.second = -1;
    pthread_create(&thread, NULL, worker, NULL);
    int seen = x.second;
    assert(seen == 0 || seen == -1);
    pthread_join(thread, NULL);
    return 0;
}
