// Figure 7 of Sinha and Wang, On interference abstractions, POPL 2011: the pointer is set to null between the test and the use. No
// serial execution shows it.
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
// property: race   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>

int a;
int *p;

void *one(void *arg)
{
    p = &a;
    if (p != 0) *p = 10;
    return 0;
}

void *two(void *arg)
{
    p = 0;
    a = 0;
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
