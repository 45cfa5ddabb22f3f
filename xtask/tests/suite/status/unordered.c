/* Passes natively as long as the other thread is slower, and not always. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int done;
static void *set(void *arg) {
    usleep(200000);
    done = 1;
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    exit(done);
}
