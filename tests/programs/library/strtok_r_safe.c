// property: race   truth: safe
// explore: safe   priori: safe   staged: unknown (undefined)
#include <pthread.h>
#include <string.h>

static void *split(void *text) {
    char *rest;
    return strtok_r(text, ",", &rest);
}

int main(void) {
    char one[] = "a,b", two[] = "c,d";
    pthread_t a, b;
    pthread_create(&a, 0, split, one);
    pthread_create(&b, 0, split, two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
