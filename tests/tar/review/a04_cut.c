#include "pre.h"
int a[2];
void *f(void*p){ int k=(int)(long)p; if(k>=0&&k<2) a[k]++; return 0;}
int main(){ pthread_t t; for(long i=0;i<2;i++) pthread_create(&t,0,f,(void*)(i*4294967296L)); return 0; }
