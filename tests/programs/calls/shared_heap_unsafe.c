// A function follows a pointer that it reads, while memory of the callers' own comes and goes between the calls.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
};

struct node *head;

static int take(void) {
    return head->value;
}

static struct node *made(int value) {
    struct node *node = malloc(sizeof *node);
    if (!node) {
        exit(1);
    }
    node->value = value;
    return node;
}

void *worker(void *arg) {
    int first = take();
    struct node *own = made(first + 1);
    int second = take() + own->value;
    head = own;
    struct node *other = made(second);
    assert(take() + other->value != 5);
    return arg;
}

int main(void) {
    head = made(1);
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    struct node *own = made(2);
    own->value = take() + take();
    pthread_join(thread, 0);
    assert(take() == 2);
    return 0;
}
