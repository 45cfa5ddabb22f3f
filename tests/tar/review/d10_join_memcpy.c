#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
int main(){ pthread_t t[4]; for(int i=0;i<2;i++) pthread_create(&t[i],0,f,0); memcpy(&t[1],&t[0],sizeof t[0]); for(int j=0;j<2;j++) pthread_join(t[j],0); x=1; return 0; }
