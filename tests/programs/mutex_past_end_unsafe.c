// A mutex beyond the end of an array.
// property: memory    truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <pthread.h>

pthread_mutex_t locks[2];

int main(void) {
    for (int i = 0; i <= 2; i++) pthread_mutex_lock(&locks[i]);
    return 0;
}
