// The time-varying mutex without telling that the block is allocated.
// property: race   truth: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER, busy_lock = PTHREAD_MUTEX_INITIALIZER;
int inode, busy, block;

void *allocate(void *arg) {
    pthread_mutex_lock(&inode_lock);
    if (inode == 0) {
        pthread_mutex_lock(&busy_lock);
        busy = 0;
        pthread_mutex_unlock(&busy_lock);
        inode = 1;
    }
    block = 1;
    pthread_mutex_unlock(&inode_lock);
    return NULL;
}

void *deallocate(void *arg) {
    pthread_mutex_lock(&busy_lock);
    if (busy == 0) block = 0;
    pthread_mutex_unlock(&busy_lock);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, allocate, NULL);
    pthread_create(&second, NULL, deallocate, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
