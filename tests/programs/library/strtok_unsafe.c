// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race   truth: unsafe   libc: glibc
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// What strtok has left belongs to all threads.
#include <pthread.h>
#include <string.h>

static void *split(void *text) { return strtok(text, ","); }

int main(void) {
    char one[] = "a,b", two[] = "c,d";
    pthread_t a, b;
    pthread_create(&a, 0, split, one);
    pthread_create(&b, 0, split, two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
