#include "pre.h"
int x=-1; void*f(void*p){ memset(&x,0,1); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); assert(x!=-256); }
