#include "pre.h"
_Thread_local int x=1; void*f(void*p){ assert(x!=1); return 0;} int main(){ pthread_t t; x=2; pthread_create(&t,0,f,0); pthread_join(t,0); }
