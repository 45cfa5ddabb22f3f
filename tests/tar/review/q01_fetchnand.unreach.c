#include "pre.h"
int x=5; void*f(void*p){ __atomic_fetch_nand(&x,1,5); return 0;} int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); assert(x!=-2); }
