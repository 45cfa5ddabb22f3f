// Two threads change one balance without a lock: one of the changes can get lost.
// heddle check examples/bank.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int balance = 100;

static void *deposit(void *unused) {
  (void)unused;
  int b;
  b = balance;
  balance = b + 50;
  return NULL;
}


static void *withdraw(void *unused) {
  (void)unused;
  int b;
  b = balance;
  balance = b - 50;
  return NULL;
}

int main(void) {
  pthread_t t1, t2;
  pthread_create(&t1, NULL, deposit, NULL), pthread_create(&t2, NULL, withdraw, NULL);

  pthread_join(t1, NULL), pthread_join(t2, NULL);
  assert(balance == 100);
  return 0;
}
