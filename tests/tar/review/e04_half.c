#include "pre.h"
int a[8];
void *f(void*p){ long k=(long)p; a[k/2]=1; return 0;}
int main(){ pthread_t t; for(long i=0;i<2;i++) pthread_create(&t,0,f,(void*)i); pthread_exit(0); }
