#include "pre.h"
int x; pthread_t t,u; void *f(void*p){ x++; return 0;}
void *g(void*p){ t=u; return 0;}
int main(){ pthread_create(&t,0,f,0); pthread_create(&u,0,g,0);  pthread_join(t,0); x=1; return 0; }
