// Figure 5 of Sinha and Wang, On interference abstractions, POPL 2011: two threads take two locks in different orders. They never
// write z at the same time, which the locks alone show, but may wait for each other for ever.
// property: race   truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   staged: unsafe
// property: locks   truth: safe
// explore: safe   staged: safe
#include <pthread.h>

pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
int x, y, z;

void *one(void *arg)
{
    pthread_mutex_lock(&A);
    x = 1;
    pthread_mutex_lock(&B);
    y = 1;
    pthread_mutex_unlock(&B);
    z = 1;
    pthread_mutex_unlock(&A);
    return 0;
}

void *two(void *arg)
{
    pthread_mutex_lock(&B);
    int a = y;
    pthread_mutex_lock(&A);
    int b = x;
    z = a + b + 2;
    pthread_mutex_unlock(&A);
    pthread_mutex_unlock(&B);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
