// memcmp compares all bytes, also behind the first difference.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <string.h>

char text[] = "abc";

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    memcmp(text, "xbc", 4);
    pthread_join(thread, 0);
    return 0;
}
