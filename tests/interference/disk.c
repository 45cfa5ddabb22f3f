// A small file system: N threads create and delete FILES files in turn, R operations each. A file has a block of its own size class,
// which is taken from a chain of BLOCKS blocks under one lock. A block is owned by a file or by nobody, so no owner is
// larger than FILES; with -DWRONG who finds no block to leave, spoils one.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#ifndef R
#define R 4
#endif
#ifndef FILES
#define FILES 4
#endif
#ifndef BLOCKS
#define BLOCKS 3
#endif

pthread_mutex_t inode_lock[FILES];
pthread_mutex_t chain_lock = PTHREAD_MUTEX_INITIALIZER;
int used[FILES];
int owner[BLOCKS];

static int take_block(int file)
{
    pthread_mutex_lock(&chain_lock);
    int done = 0, last = 0;
    for (int block = 0; block < BLOCKS; block++) {
        int who = owner[block];
        last = who;
        if (!done && who == 0) {
            owner[block] = file + 1;
            done = 1;
        }
    }
    pthread_mutex_unlock(&chain_lock);
    return last;
}

static int leave_block(int file)
{
    pthread_mutex_lock(&chain_lock);
    int found = 0, last = 0;
    for (int block = 0; block < BLOCKS; block++) {
        int who = owner[block];
        last = who;
        if (who == file + 1) {
            owner[block] = 0;
            found = 1;
        }
    }
#ifdef WRONG
    if (!found) owner[BLOCKS - 1] = FILES + 1;
#endif
    pthread_mutex_unlock(&chain_lock);
    return last;
}

static void *worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    for (int round = 0; round < R; round++) {
        int file = (id + round) % FILES;
        pthread_mutex_lock(&inode_lock[file]);
        int state = used[file];
        used[file] = state ? 0 : 1;
        pthread_mutex_unlock(&inode_lock[file]);
        int who = state ? leave_block(file) : take_block(file);
        if (id == 0 && round == R - 1) assert(who <= FILES);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < FILES; i++) pthread_mutex_init(&inode_lock[i], 0);
    for (intptr_t i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
