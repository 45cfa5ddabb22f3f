#include "pre.h"
char a[2];
void *f(void*p){ long k=(long)((unsigned long)p*0x4000000000000000ul); if(k>=0&&k<2) a[k]++; return 0;}
int main(){ pthread_t t; for(long i=0;i<5;i++) pthread_create(&t,0,f,(void*)i); pthread_exit(0); }
