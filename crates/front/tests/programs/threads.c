// Threads, mutexes, condition variables, semaphores, atomics: everything synchronised, so no assertion can fail.
// property: unreach   truth: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

static int plain, ready;
static atomic_int atomic;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static _Thread_local int own;

static void *worker(void *arg) {
    int number = (int)(intptr_t)arg;
    own = number;
    pthread_mutex_lock(&mutex);
    plain += number;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&atomic, 1);
    int old = 0;
    atomic_compare_exchange_strong(&atomic, &old, 77);
    sem_post(&sem);
    assert(own == number);
    return (void *)(intptr_t)(number * 2);
}

static void *waiter(void *arg) {
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&cond, &mutex);
    *(int *)arg = 5;
    pthread_mutex_unlock(&mutex);
    pthread_exit(arg);
}

int main(void) {
    pthread_t threads[2], third;
    void *result;
    int cell = 0;
    sem_init(&sem, 0, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)(i + 1));
    pthread_create(&third, NULL, waiter, &cell);
    sem_wait(&sem);
    sem_wait(&sem);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        assert((intptr_t)result == 2 * (i + 1));
    }
    assert(plain == 3 && atomic == 2 && own == 0);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(third, &result);
    assert(result == &cell && cell == 5);
    return 0;
}
