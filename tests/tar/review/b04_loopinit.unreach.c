#include "pre.h"
int a[10];
void *f(void*p){ assert(a[3]!=5); return 0;}
int main(){ pthread_t t; for(int i=0;i<10;i++) a[i]=5; pthread_create(&t,0,f,0); pthread_exit(0); }
