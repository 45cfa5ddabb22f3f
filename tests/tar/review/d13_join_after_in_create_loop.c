#include "pre.h"
int x; void *f(void*p){ x++; return 0;}
int main(){ pthread_t t[4]; for(int i=0;i<2;i++) pthread_create(&t[i],0,f,0); for(int j=0;j<2;j++) pthread_join(t[j],0); x=1; for(int k=0;k<2;k++) pthread_create(&t[k],0,f,0); x=2; return 0; }
