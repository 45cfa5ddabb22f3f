#include "pre.h"
int a,b; int*_Atomic x=&a; void*f(void*p){ atomic_exchange(&x,&b); return 0;} int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); assert(x==&a); }
