// A thread writes to a variable of a block that its creator has left.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

void *worker(void *p) {
    *(int *)p = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    {
        int a = 0;
        pthread_create(&t, 0, worker, &a);
    }
    pthread_join(t, 0);
    return 0;
}
