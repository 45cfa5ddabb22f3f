// What a thread has allocated is its own until it hands it over, and nothing of it is lost then.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct item *head;

void *producer(void *arg) {
    struct item *item = malloc(sizeof *item);
    item->value = 7;
    item->next = 0;
    pthread_mutex_lock(&lock);
    head = item;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, producer, 0);
    pthread_mutex_lock(&lock);
    struct item *item = head;
    pthread_mutex_unlock(&lock);
    if (item)
        assert(item->value == 7 && item->next == 0);
    pthread_join(a, 0);
    assert(head->value == 7);
    free(head);
    return 0;
}
