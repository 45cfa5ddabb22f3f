// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// Different members of a structure are different bytes.
#include <pthread.h>

struct pair {
    int a, b;
} p;

static void *thread1(void *unused)
{
    (void)unused;
    p.a = 1;
    return 0;
}

static void *thread2(void *unused)
{
    (void)unused;
    p.b = 1;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
