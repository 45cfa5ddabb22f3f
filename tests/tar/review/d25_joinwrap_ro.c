#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
int main(){ pthread_t t[4]; for(unsigned i=0;i<3;i++) pthread_create(&t[(i*0x80000000u)*2u],0,f,0); for(unsigned j=0;j<3;j++) pthread_join(t[(j*0x80000000u)*2u],0); x=1; return 0; }
