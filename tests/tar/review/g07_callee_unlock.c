#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
void u(pthread_mutex_t*m,int c){ if(c) pthread_mutex_unlock(m); }
void *f(void*z){ int c=__VERIFIER_nondet_int(); pthread_mutex_lock(&M); u(&M,c); s[0].x++; u(&M,!c); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
