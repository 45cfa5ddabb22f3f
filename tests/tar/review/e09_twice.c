#include "pre.h"
int a[8];
void *f(void*p){ long k=(long)p; a[k]=1; return 0;}
void st(void*p){ pthread_t t; for(int j=0;j<2;j++) pthread_create(&t,0,f,p);}
int main(){ for(long i=0;i<2;i++) st((void*)i); pthread_exit(0); }
