#include "pre.h"
int x; int cmp(const void*a,const void*b){ x++; return 0;} void *f(void*p){ int a[2]={1,0}; qsort(a,2,4,cmp); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); return 0; }
