#include "pre.h"
int a[8];
void *f(void*p){ long k=(long)p; a[k]=1; a[k+1]=2; return 0;}
int main(){ pthread_t t; for(long i=3;i>0;i--) pthread_create(&t,0,f,(void*)i); pthread_exit(0); }
