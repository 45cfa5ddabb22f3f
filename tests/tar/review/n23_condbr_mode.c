#include "pre.h"
int x, g; void*h(void*p){ return 0;} void*f(void*p){ if(x) g++; return 0;} 
int main(){ pthread_t t; if(__VERIFIER_nondet_int()){ pthread_create(&t,0,h,0);} x=1; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0);}
