// A number that nobody was given may be that of a thread which is made later: nothing is claimed about the program.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)
#include <assert.h>
#include <pthread.h>

int data;

void *worker(void *arg) {
    data = 1;
    return 0;
}

void *cleaner(void *arg) {
    pthread_join((pthread_t)3, 0);
    assert(data == 1);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, cleaner, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
