#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
pthread_mutex_t *lp=&M;
void *f(void*z){ pthread_mutex_t*a=lp; lp=&M2; pthread_mutex_lock(a); s[0].x++; pthread_mutex_unlock(a); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
