#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
int main(){ pthread_t t[4]; t[0]=pthread_self(); for(int i=0;i<3;i++) pthread_create(&t[i],0,f,0); for(int j=0;j<3;){ j++; pthread_join(t[j],0);} x=1; return 0; }
