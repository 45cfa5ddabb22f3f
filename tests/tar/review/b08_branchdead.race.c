#include "pre.h"
int x, g;
void *f(void*p){ if(x==5) g++; return 0;}
int main(){ pthread_t t; int k=__VERIFIER_nondet_int()&1; int a[2]; int*q=k?&x:&a[0]; *q=5; pthread_create(&t,0,f,0);pthread_create(&t,0,f,0); pthread_exit(0); }
