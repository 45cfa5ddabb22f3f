#include "pre.h"
int x[2]; void*f(void*p){ assert(x[1]==0); return 0;}
int main(){ pthread_t t; int k=__VERIFIER_nondet_int()&1; __atomic_fetch_add(&x[k],3,5); pthread_create(&t,0,f,0); pthread_exit(0);}
