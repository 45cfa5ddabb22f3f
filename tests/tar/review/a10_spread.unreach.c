#include "pre.h"
int a[2];
void *f(void*p){ assert(a[0]!=5); return 0;}
int main(){ pthread_t t; int k=__VERIFIER_nondet_int()&1; a[k]=5; pthread_create(&t,0,f,0); pthread_exit(0); }
