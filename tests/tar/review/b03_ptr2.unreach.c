#include "pre.h"
int x, y;
void *f(void*p){ assert(x!=5); return 0;}
int main(){ pthread_t t; int*q=__VERIFIER_nondet_int()?&x:&y; *q=5; pthread_create(&t,0,f,0); pthread_exit(0); }
