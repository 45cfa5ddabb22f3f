// Two threads write different fields of one structure.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// tar: safe
#include <pthread.h>
#include <stdlib.h>

struct pair { int left, right; } pair;

void *one(void *arg) {
    pair.left++;
    return arg;
}

void *two(void *arg) {
    pair.right++;
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    return 0;
}
