#include "pre.h"
int x; void h(void){ x=2; } void *f(void*p){ x=1; return 0;}
int main(){ pthread_t t; atexit(h); pthread_create(&t,0,f,0); return 0; }
