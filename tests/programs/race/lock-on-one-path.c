// The lock is only taken on one path.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic int hurry;
int x;

void *one(void *arg) {
    int is_careful = !hurry;
    if (is_careful) pthread_mutex_lock(&lock);
    x = 1;
    if (is_careful) pthread_mutex_unlock(&lock);
    return arg;
}

void *two(void *arg) {
    hurry = 1;
    pthread_mutex_lock(&lock);
    x = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
