// property: unreach   model: tso   truth: safe
// explore: safe   priori: safe
//
// An undefined byte in a store buffer has one value, however often it is read.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

unsigned char shared[4];

static void *copy(void *unused)
{
    unsigned char *fresh = malloc(1);
    memcpy(&shared[1], fresh, 1);
    unsigned char first = *(volatile unsigned char *)&shared[1];
    unsigned char second = *(volatile unsigned char *)&shared[1];
    assert(first == second);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    unsigned char seen = shared[1];
    pthread_join(thread, 0);
    return seen;
}
