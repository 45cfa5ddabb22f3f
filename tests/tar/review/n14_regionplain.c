#include "pre.h"
int x; void*f(void*p){ __VERIFIER_atomic_begin(); x=1; __VERIFIER_atomic_end(); return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); x=2; pthread_join(t,0); }
