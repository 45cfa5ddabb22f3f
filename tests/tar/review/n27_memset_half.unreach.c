#include "pre.h"
long x=-1; void*f(void*p){ memset(&x,0,8); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); assert(x==0||x==-1); pthread_join(t,0); }
