#include "pre.h"
int x; void *f(void*p){ x++; return 0;} __attribute__((destructor)) void c(void){ x++;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); return 0; }
