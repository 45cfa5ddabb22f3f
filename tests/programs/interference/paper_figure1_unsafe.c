// Figure 1 of Sinha and Wang, On interference abstractions, POPL 2011: x and y are 2 at the end if bar reads what foo wrote first.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

int x = 0;
int y = 0;

void *foo(void *arg)
{
    int a = y;
    if (a == 0) {
        x = 1;
        a = x + 1;
        x = a;
    } else
        x = 0;
    return 0;
}

void *bar(void *arg)
{
    int b = x;
    if (b == 1) {
        y = 1;
        b = y + 1;
        y = b;
    } else
        y = 0;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, foo, 0);
    pthread_create(&t2, 0, bar, 0);
    pthread_join(t2, 0);
    pthread_join(t1, 0);
    assert(x != y);
    return 0;
}
