#include "pre.h"
int a[2];
void *f(void*p){ int k=(int)((unsigned)(long)p*0x40000000u); if(k>=0&&k<2) a[k]++; return 0;}
int main(){ pthread_t t; for(int i=0;i<5;i++) pthread_create(&t,0,f,(void*)(long)i); return 0; }
