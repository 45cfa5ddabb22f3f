// A program whose own header says that a mutex is a number: there is room for one.
// property: memory    truth: safe
// explore: safe   impact: safe   staged: safe
// property: memory    truth: unsafe   args: -DSMALL
// explore: unsafe   impact: unsafe   staged: unsafe
typedef long pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *mutex);
extern int pthread_mutex_unlock(pthread_mutex_t *mutex);
extern void *calloc(unsigned long count, unsigned long size);

#ifdef SMALL
#define SIZE 4
#else
#define SIZE sizeof(pthread_mutex_t)
#endif

int main(void) {
    pthread_mutex_t *mutex = calloc(1, SIZE);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return 0;
}
