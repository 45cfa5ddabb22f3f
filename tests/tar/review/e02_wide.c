#include "pre.h"
int a[8];
void *f(void*p){ int *q=p; memset(q,0,8); return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++) pthread_create(&t,0,f,&a[i]); pthread_exit(0); }
