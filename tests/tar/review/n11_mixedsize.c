#include "pre.h"
_Atomic int x; void*f(void*p){ *((char*)&x+3)=1; return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); atomic_store(&x,2); pthread_join(t,0); }
