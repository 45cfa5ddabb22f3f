#include "pre.h"
int x[2]; void*f(void*p){return 0;}
int main(){ pthread_t t; int k=__VERIFIER_nondet_int()&1; x[k]=5; pthread_create(&t,0,f,0); assert(x[0]==0); pthread_exit(0);}
