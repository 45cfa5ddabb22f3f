// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
//
// What happens before a thread is created, and after it is joined, is ordered.
#include <pthread.h>

int x;

static void *thread1(void *unused)
{
    (void)unused;
    x++;
    return 0;
}

int main(void)
{
    pthread_t t1;
    x = 1;
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t1, 0);
    x++;
    return 0;
}
