#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
int main(){ pthread_t t[4]; int n=__VERIFIER_nondet_int(); if(n<0||n>2) n=2; int i=0; while(i<n){ pthread_create(&t[i],0,f,0); i=i+1;} int j=0; while(j<n){ j=j+1; pthread_join(t[j-1],0); } x=1; return 0; }
