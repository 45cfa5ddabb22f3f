#include "pre.h"
int a[8];
void *f(void*p){ int*q=p; q[0]=1; q[1]=1; return 0;}
int main(){ pthread_t t; for(long i=0;i<2;i++) pthread_create(&t,0,f,&a[i]); pthread_exit(0); }
