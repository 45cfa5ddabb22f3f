#include "pre.h"
int x; void d(void*p){ x++; } void *f(void*p){ pthread_cleanup_push(d,0); pthread_exit(0); pthread_cleanup_pop(0); return 0;}
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); pthread_join(t,0);pthread_join(u,0); return 0; }
