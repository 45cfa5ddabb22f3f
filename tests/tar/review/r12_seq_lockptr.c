#include "pre.h"
int x; pthread_mutex_t a,b,*l[2]={&a,&a}; void*f(void*p){ long k=(long)p; pthread_mutex_lock(l[k]); x++; pthread_mutex_unlock(l[k]); return 0;}
int main(){ pthread_t t; if(__VERIFIER_nondet_int()) l[1]=&b; for(long i=0;i<2;i++) pthread_create(&t,0,f,(void*)i); pthread_exit(0);}
