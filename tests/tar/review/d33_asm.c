#include "pre.h"
int x; void *f(void*p){ __asm__ volatile("incl %0":"+m"(x)); return 0;}
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); return 0; }
