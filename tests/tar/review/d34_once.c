#include "pre.h"
int x; pthread_once_t o=PTHREAD_ONCE_INIT; void i(void){ x=1; } void *f(void*p){ pthread_once(&o,i); x++; return 0;}
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); return 0; }
