#include "pre.h"
_Atomic int tick; int a[4]; void*f(void*p){ int k=atomic_fetch_add(&tick,1)&1; a[k]++; return 0;}
int main(){ pthread_t t; for(int i=0;i<3;i++) pthread_create(&t,0,f,0); pthread_exit(0);}
