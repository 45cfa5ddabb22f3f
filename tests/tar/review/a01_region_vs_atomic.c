#include "pre.h"
_Atomic int x; 
void *f(void*a){ __VERIFIER_atomic_begin(); *(int*)&x = 1; __VERIFIER_atomic_end(); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); atomic_store(&x,2); pthread_join(t,0); }
