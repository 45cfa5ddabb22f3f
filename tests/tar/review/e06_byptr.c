#include "pre.h"
int a[8]; int i;
void *f(void*p){ a[*(int*)p]=1; return 0;}
int main(){ pthread_t t; for(i=0;i<2;i++) pthread_create(&t,0,f,&i); pthread_exit(0); }
