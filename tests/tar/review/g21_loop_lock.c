#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
void *f(void*z){ struct S*p=pick(); int i; for(i=0;i<2;i++){ if(i==0) pthread_mutex_lock(&p->m); p->x++; p=pick(); } return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
