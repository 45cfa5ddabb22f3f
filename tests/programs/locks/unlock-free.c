// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// Unlocking a mutex that nobody holds.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_unlock(&m);
    return 0;
}
