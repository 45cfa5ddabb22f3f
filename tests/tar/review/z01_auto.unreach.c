#include "pre.h"
int mode; pthread_mutex_t m; int n;
void *f(void*p){ for(int i=0;i<1000;i++){ pthread_mutex_lock(&m); n=(n+1)%1000; pthread_mutex_unlock(&m);} assert(mode!=5); return 0;}
int main(){ pthread_t t; int c=__VERIFIER_nondet_int(); if(c>1000&&c*3+1==4000*3+1) mode=5; for(int i=0;i<6;i++) pthread_create(&t,0,f,0); pthread_exit(0); }
