#include "pre.h"
int x; __attribute__((constructor)) void c(void){ pthread_t t; extern void*f(void*); pthread_create(&t,0,f,0);} void *f(void*p){ x++; return 0;}
int main(){ x++; return 0; }
