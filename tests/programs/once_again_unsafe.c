// A flag that is set again lets the initialisation run again.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int count;

void initialise(void) { count++; }

int main(void) {
    pthread_once(&once, initialise);
    once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    assert(count == 1);
    return 0;
}
