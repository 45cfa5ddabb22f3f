#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
void *f(void*z){ struct S*p=calloc(1,sizeof*p); pthread_mutex_lock(&p->m); s[0].x++; p->x++; pthread_mutex_unlock(&p->m); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
