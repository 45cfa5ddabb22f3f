#include "pre.h"
int a[8];
void *f(void*p){ long k=(long)p; if(k>=0&&k<8) a[k]=1; return 0;}
int main(){ pthread_t t; long i=0; int c=0; L: pthread_create(&t,0,f,(void*)i); i=i+1; if(c==0&&i==2){ c=1; i=0; } if(i<2) goto L; pthread_exit(0); }
