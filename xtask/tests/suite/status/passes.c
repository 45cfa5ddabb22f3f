/* Passes: the other thread has ended when its result is looked at. */
#include <pthread.h>
static int done;
static void *set(void *arg) {
    done = 1;
    return arg;
}
int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, 0, set, 0) != 0) return 2;
    if (pthread_join(thread, 0) != 0) return 2;
    return done == 1 ? 0 : 1;
}
