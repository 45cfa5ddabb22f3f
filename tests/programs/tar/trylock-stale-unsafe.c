// The mutex was taken by trying, and is released before the result is looked at again.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;

void *run(void *arg) {
    int is_first = 1;
    int result = pthread_mutex_trylock(&lock);
again:
    if (result == 0) {
        count++;
        if (is_first) {
            is_first = 0;
            pthread_mutex_unlock(&lock);
            goto again;
        }
    }
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, run, 0);
    pthread_create(&two, 0, run, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
