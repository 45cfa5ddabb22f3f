#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
void *g(void*p){return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,g,0); pthread_join(t,0); x=1; return 0; }
