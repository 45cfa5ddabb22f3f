#include "pre.h"
int x;
void *f(void*p){ assert(x!=5); return 0;}
int main(){ pthread_t t; if(__VERIFIER_nondet_int()) x=5; pthread_create(&t,0,f,0); pthread_exit(0); }
