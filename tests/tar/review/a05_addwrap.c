#include "pre.h"
int a[2];
void *f(void*p){ long k=(long)p; if(k>=0&&k<2) a[k]++; return 0;}
int main(){ pthread_t t; unsigned i=0; for(int n=0;n<5;n++){ pthread_create(&t,0,f,(void*)(unsigned long)i); i+=0x40000000u;} return 0; }
