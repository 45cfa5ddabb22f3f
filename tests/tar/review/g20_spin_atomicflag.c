#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
atomic_flag fl=ATOMIC_FLAG_INIT;
void *f(void*z){ while(atomic_flag_test_and_set(&fl)); s[0].x++; atomic_flag_clear(&fl); s[0].x++; return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
