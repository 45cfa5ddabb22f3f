// Figure 6 of Sinha and Wang, On interference abstractions, POPL 2011: a lock is released twice, also if threads run one after the
// other.
// property: locks   truth: unsafe
// explore: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void *thread(void *arg)
{
    pthread_mutex_lock(&A);
    if (x == 0) pthread_mutex_unlock(&A);
    y = 1;
    pthread_mutex_unlock(&A);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread, 0);
    pthread_create(&t2, 0, thread, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
