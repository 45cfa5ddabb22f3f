#include "pre.h"
int x;
void *f(void*p){ assert(x==0); return 0;}
int main(){ pthread_t t; memset(&x,1,4); pthread_create(&t,0,f,0); pthread_exit(0); }
