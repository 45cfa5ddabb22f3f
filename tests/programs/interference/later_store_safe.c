// No thread reads what it stores later. Where reads are from is not pruned, nothing but this was to say so with store buffers.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: unreach   model: pso   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>

int x;

static void *reader(void *argument)
{
    int found = x;
    x = 1;
    assert(found != 1);
    return argument;
}

static void *writer(void *argument)
{
    x = 2;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
