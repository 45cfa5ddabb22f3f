#include "pre.h"
int x=-1,g; void*f(void*p){ if(x==-256) g++; return 0;}
int main(){ pthread_t t,u; memset(&x,0,1); pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); pthread_join(t,0); pthread_join(u,0); }
