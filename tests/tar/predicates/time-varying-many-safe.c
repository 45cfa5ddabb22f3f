// The time-varying mutex (Flanagan, Freund, Qadeer, ESOP 2002): the block is protected by one lock while it is not allocated,
// and by another one afterwards. Any number of threads.
// property: race   truth: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER, busy_lock = PTHREAD_MUTEX_INITIALIZER;
int inode, busy, block;

void *allocate(void *arg) {
    pthread_mutex_lock(&inode_lock);
    if (inode == 0) {
        pthread_mutex_lock(&busy_lock);
        busy = 1;
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
    pthread_t id;
    while (1) {
        pthread_create(&id, NULL, allocate, NULL);
        pthread_create(&id, NULL, deallocate, NULL);
    }
}
