#include "pre.h"
unsigned char x=0; void*f(void*p){ __atomic_fetch_sub(&x,1,5); return 0;} int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); assert(x!=255); }
