// One thread writes a field, the other all bytes of the structure.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// tar: unknown
#include <pthread.h>
#include <stdlib.h>

struct pair { int left, right; } pair;

void *one(void *arg) {
    pair.right = 1;
    return arg;
}

void *two(void *arg) {
    *(long *)&pair = 0;
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    return 0;
}
