#include "pre.h"
#include <signal.h>
int x; void h(int s){ x++; } void *f(void*p){ x++; return 0;}
int main(){ pthread_t t; signal(SIGINT,h); pthread_create(&t,0,f,0); pthread_join(t,0); raise(SIGINT); return 0; }
