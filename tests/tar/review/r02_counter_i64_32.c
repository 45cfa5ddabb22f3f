#include "pre.h"
int a[4];
void *f(void*p){ int k=(int)(long)p; if(k>=0&&k<4) a[k]++; return 0;}
int main(){ pthread_t t; for(long i=0;i<0x300000000L;i+=0x100000000L) pthread_create(&t,0,f,(void*)i); pthread_exit(0); }
