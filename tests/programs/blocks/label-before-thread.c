// The thread writes a variable whose block has been left by a jump to the label in front of it.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_t thread;

void *change(void *arg) {
    *(int *)arg = 1;
    return NULL;
}

int main(void) {
    int n = 0;
again: {
    int x = 0;
    if (!n) {
        n = 1;
        pthread_create(&thread, NULL, change, &x);
        goto again;
    }
    pthread_join(thread, NULL);
}
    return 0;
}
