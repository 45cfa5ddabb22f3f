#include "pre.h"
_Thread_local int x; int*g; void *f(void*z){ g=&x; return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); if(g) *g=1; }
