// Each of two threads makes a choice and accesses the array in the same step. That the writer chose 1 says nothing about what
// the reader chooses afterwards.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern _Bool __VERIFIER_nondet_bool(void);

_Atomic int cells[2];

void *reader(void *arg) {
  int a = __VERIFIER_nondet_bool();
  assert(atomic_load(&cells[a]) == 0);
  return arg;
}

void *writer(void *arg) {
  int b = __VERIFIER_nondet_bool();
  if (b == 1)
    atomic_store(&cells[0], 1);
  return arg;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, reader, 0);
  pthread_create(&u, 0, writer, 0);
  return 0;
}
