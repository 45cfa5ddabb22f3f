#include "pre.h"
char a[8];
void *f(void*p){ (*(char*)p)++; return 0;}
int main(){ pthread_t t; for(int i=0;i<5;i++){ int k=(int)((unsigned)i*0x40000000u); if(k<0||k>1) continue; pthread_create(&t,0,f,&a[k]);} pthread_exit(0); }
