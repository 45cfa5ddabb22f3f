#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
void h(struct S*a,struct S*b){ pthread_mutex_lock(&a->m); b->x++; pthread_mutex_unlock(&a->m);} 
void *f(void*z){ h(pick(),pick()); struct S*p=pick(); h(p,p); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
