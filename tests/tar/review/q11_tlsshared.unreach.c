#include "pre.h"
_Thread_local int x=1; int*g; void*f(void*p){ *g=7; return 0;} int main(){ pthread_t t; x=2; g=&x; pthread_create(&t,0,f,0); pthread_join(t,0); assert(x!=7);}
