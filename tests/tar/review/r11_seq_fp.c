#include "pre.h"
int x; void bad(void){ x++; } void ok(void){} void (*fp)(void)=ok; void*f(void*p){ fp(); return 0;}
int main(){ pthread_t t; if(__VERIFIER_nondet_int()) fp=bad; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0);}
