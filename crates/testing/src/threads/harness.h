/* Goes before a program for native execution: repeats it under random delays and prints the outcomes that it saw. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define NATIVE
#define DELAY() delay()

static unsigned run_once(void);
static void reset(void);

static unsigned delay_seed;
static __thread unsigned delay_state;

static void delay(void) {
  if (delay_state == 0) delay_state = __atomic_fetch_add(&delay_seed, 0x9e3779b9u, __ATOMIC_RELAXED) | 1u;
  delay_state ^= delay_state << 13;
  delay_state ^= delay_state >> 17;
  delay_state ^= delay_state << 5;
  unsigned choice = delay_state >> 8;
  switch (choice % 64) {
    case 0: {
      struct timespec moment = { 0, 1000 };
      nanosleep(&moment, 0);
      break;
    }
    case 1: case 2: case 3: case 4: case 5: case 6:
      sched_yield();
      break;
    case 7: case 8: case 9: case 10: case 11: case 12: case 13: case 14: case 15:
      for (volatile unsigned i = choice % 1024; i > 0; i--) { }
      break;
    default:
      break;
  }
}

int main(int argc, char **argv) {
  int repetitions = argc > 1 ? atoi(argv[1]) : 200;
  delay_seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
  for (int i = 0; i < repetitions; i++) {
    reset();
    printf("%u\n", run_once());
    fflush(stdout);
  }
  return 0;
}
