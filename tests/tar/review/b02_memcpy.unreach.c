#include "pre.h"
int x, y=5;
void *f(void*p){ assert(x!=5); return 0;}
int main(){ pthread_t t; memcpy(&x,&y,sizeof x); pthread_create(&t,0,f,0); pthread_exit(0); }
