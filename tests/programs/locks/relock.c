// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Locking a normal mutex twice.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
