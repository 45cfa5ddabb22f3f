#include "pre.h"
int x; void*f(void*p){ assert(x!=3); return 0;} 
int main(){ pthread_t t; int n=__VERIFIER_nondet_int()&3; for(int i=0;i<n;i++) x++; pthread_create(&t,0,f,0); pthread_exit(0);}
