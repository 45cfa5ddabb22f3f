#include "pre.h"
_Atomic int x; void*f(void*p){ atomic_init(&x,1); return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); atomic_load(&x); pthread_join(t,0); }
