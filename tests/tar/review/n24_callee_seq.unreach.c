#include "pre.h"
int x; void set(int v){ x=v; } void*f(void*p){ assert(x!=1); return 0;} 
int main(){ pthread_t t; set(1); if(__VERIFIER_nondet_int()) set(2); pthread_create(&t,0,f,0); pthread_exit(0);}
