#include "pre.h"
int x; void set(int c){ if(c) x=9; } void*f(void*p){ assert(x!=9); return 0;}
int main(){ pthread_t t; set(__VERIFIER_nondet_int()); pthread_create(&t,0,f,0); pthread_exit(0);}
