// Output has no effect on the program's state.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int value = 1;

void *worker(void *arg) {
    printf("value %d %s\n", value, "text");
    fprintf(stderr, "%5.2f", 1.5);
    puts("done");
    putchar('x');
    fflush(stdout);
    usleep(10);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    sleep(1);
    pthread_join(thread, 0);
    assert(value == 1);
    return 0;
}
