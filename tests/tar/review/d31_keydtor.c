#include "pre.h"
int x; pthread_key_t k; void d(void*p){ x++; } void *f(void*p){ pthread_setspecific(k,&x); return 0;}
int main(){ pthread_t t,u; pthread_key_create(&k,d); pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); pthread_join(t,0);pthread_join(u,0); return 0; }
