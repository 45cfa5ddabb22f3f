#include "pre.h"
int x=-1;
void *f(void*a){ assert(x != -256); return 0;}
int main(){ pthread_t t; memset(&x,0,__VERIFIER_nondet_int()?1:1); pthread_create(&t,0,f,0); pthread_join(t,0); }
