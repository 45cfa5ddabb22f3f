// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// property: deadlock   model: tso   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// property: deadlock   model: pso   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe

// main waits for a lock that it holds, with a store in its buffer: nobody is stuck before that has reached memory, as it must before
// a lock is taken.

#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int condition);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_int x;

void *add(void *unused) {
  __VERIFIER_assume(atomic_fetch_add(&x, 2) == 0);
  return unused;
}

int main(void) {
  pthread_t id;
  pthread_create(&id, 0, add, 0);
  pthread_mutex_lock(&lock);
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  pthread_mutex_lock(&lock);
  return 0;
}
