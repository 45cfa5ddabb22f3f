#include "pre.h"
int y; int *p=&y; void *f(void*z){ *p=1; return 0;}
int main(){ pthread_t t; if(__VERIFIER_nondet_int()) p=0; pthread_create(&t,0,f,0); pthread_join(t,0); }
