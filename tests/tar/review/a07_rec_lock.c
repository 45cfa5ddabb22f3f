#include "pre.h"
struct S{pthread_mutex_t m; int x;} s[4];
void g(struct S*p,struct S*q,int n){ p->x++; if(n>0) g(q,p,n-1);}
void *f(void*z){ int i=__VERIFIER_nondet_int()&1; struct S*a=&s[i],*b=&s[i+2]; pthread_mutex_lock(&a->m); g(a,b,1); pthread_mutex_unlock(&a->m); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
