// A mutex beyond the end of an array whose length is not a constant.
// property: memory    truth: unsafe
// explore: unsafe   staged: unsafe
#include <pthread.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int count = argc > 5 ? 2 : 1;
    pthread_mutex_t *mutexes = calloc(count, sizeof *mutexes);
    pthread_mutex_lock(&mutexes[count]);
    return 0;
}
