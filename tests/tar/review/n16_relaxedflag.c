#include "pre.h"
_Atomic int fl; int x; void*f(void*p){ x=1; atomic_store_explicit(&fl,1,memory_order_relaxed); return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); if(atomic_load_explicit(&fl,memory_order_relaxed)) x=2; pthread_join(t,0); }
