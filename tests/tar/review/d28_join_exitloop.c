#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
int main(){ pthread_t t[4]; int n=3; for(int i=0;i<n;i++) pthread_create(&t[i],0,f,0); for(int j=0;j<n;j++){ if(x==7) n=1; pthread_join(t[j],0);} x=1; return 0; }
