#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
union U{ struct{pthread_mutex_t m; int x;} a; struct{int y[40];} b;} u[3];
void *f(void*z){ union U*p=&u[__VERIFIER_nondet_int()&1]; pthread_mutex_lock(&p->a.m); p->b.y[10]++; pthread_mutex_unlock(&p->a.m); ((union U*)((char*)&u[0]+sizeof u[0]))->a.x=1; return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
