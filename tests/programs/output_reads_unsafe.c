// What is printed is read: here while another thread writes it.
// property: race    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <pthread.h>
#include <stdio.h>

char text[] = "ab";

void *change(void *arg) {
    text[1] = 'c';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    printf("%d%% of %*d: %s\n", 10, 3, 7, text);
    pthread_join(thread, NULL);
    return 0;
}
