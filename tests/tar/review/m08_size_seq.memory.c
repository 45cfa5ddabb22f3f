#include "pre.h"
int n=1; int *p; void *f(void*z){ p[1]=1; return 0;}
int main(){ pthread_t t; if(__VERIFIER_nondet_int()) n=1; else n=2; p=malloc(4*n); pthread_create(&t,0,f,0); pthread_join(t,0); }
