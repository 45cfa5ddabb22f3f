// The lock is that of the account that was given, what is accessed another account: the parameter was set in between.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

struct account {
    int money;
    pthread_mutex_t lock;
} first, second;

void *run(void *arg) {
    struct account *given = arg;
    arg = &first;
    pthread_mutex_lock(&given->lock);
    ((struct account *)arg)->money++;
    pthread_mutex_unlock(&given->lock);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, run, &first);
    pthread_create(&two, 0, run, &second);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
