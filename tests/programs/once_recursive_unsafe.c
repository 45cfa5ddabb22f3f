// The function that pthread_once runs calls pthread_once for itself.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;

void initialise(void) { pthread_once(&once, initialise); }

int main(void) {
    pthread_once(&once, initialise);
    return 0;
}
