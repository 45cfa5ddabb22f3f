#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_detach(t); pthread_join(t,0); x=1; return 0; }
