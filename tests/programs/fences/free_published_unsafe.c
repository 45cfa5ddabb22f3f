// Under pso a store after free may reach memory before one that came before it: free keeps nothing behind. Under tso the buffer does.
// property: unreach   model: tso   truth: safe
// explore: safe   impact: safe   priori: safe
// property: unreach   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int data, flag;
void *block;

static void *writer(void *unused) {
    data = 1;
    free(block);
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    block = malloc(4);
    pthread_create(&thread, 0, writer, 0);
    if (flag) assert(data == 1);
    pthread_join(thread, 0);
    return 0;
}
