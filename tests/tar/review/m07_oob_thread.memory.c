#include "pre.h"
int a[4]; int k; void *f(void*z){ a[k]=1; return 0;}
int main(){ pthread_t t; if(__VERIFIER_nondet_int()) k=7; pthread_create(&t,0,f,0); pthread_join(t,0); }
