// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A lock that was taken through a choice is let go by name while the thread waits: the second time it is not held.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
int choice, flag;

void *wait_without(void *unused) {
    int chosen = choice;
    pthread_mutex_lock(chosen ? &second : &first);
    while (flag != 1) {
        pthread_mutex_unlock(&first);
    }
    return NULL;
}

void *keep(void *unused) {
    pthread_mutex_lock(&first);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, wait_without, NULL);
    pthread_create(&two, NULL, keep, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return choice == 0;
}
