// The writer makes two choices, one after the other. What it accesses depends on the second, of which the first says nothing.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern _Bool __VERIFIER_nondet_bool(void);

_Atomic int cells[2], z;

void *reader(void *arg) {
  assert(atomic_load(&cells[0]) == 0);
  return arg;
}

void *writer(void *arg) {
  int a = __VERIFIER_nondet_bool();
  if (a == 1) {
    atomic_store(&z, 1);
    int b = __VERIFIER_nondet_bool();
    atomic_store(&cells[b], 1);
  }
  return arg;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, reader, 0);
  pthread_create(&u, 0, writer, 0);
  return 0;
}
