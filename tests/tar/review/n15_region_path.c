#include "pre.h"
int x; void g(int c){ if(c) __VERIFIER_atomic_begin(); x++; if(c) __VERIFIER_atomic_end(); }
void*f(void*p){ g(0); return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); g(1); pthread_join(t,0); }
