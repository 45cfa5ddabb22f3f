#include "pre.h"
int a[8];
void g(long k){ a[k]=1; }
void *f(void*p){ long k=(long)p; g(k); g(0); return 0;}
int main(){ pthread_t t; for(long i=0;i<2;i++) pthread_create(&t,0,f,(void*)i); pthread_exit(0); }
