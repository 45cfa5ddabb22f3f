// An array of structures with a mutex and numbers at an index that is not constant, and one whose elements are reached through pointers from memory.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct bucket {
    pthread_mutex_t lock;
    int count;
    int keys[2];
} buckets[2];

struct bucket *last;

static void put(struct bucket *bucket, int key) {
    pthread_mutex_lock(&bucket->lock);
    bucket->keys[bucket->count++] = key;
    last = bucket;
    pthread_mutex_unlock(&bucket->lock);
}

int main(void) {
    for (int i = 0; i < 4; i++) put(&buckets[i & 1], i);
    pthread_mutex_lock(&last->lock);
    for (int i = 0; i < 2; i++) last->keys[i] += 10;
    pthread_mutex_unlock(&last->lock);
    assert(buckets[1].keys[1] == 13 && buckets[0].keys[1] == 2);
    return 0;
}
