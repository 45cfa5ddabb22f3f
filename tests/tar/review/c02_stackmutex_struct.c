#include "pre.h"
int x; struct L{int k; pthread_mutex_t m;};
void *f(void*p){ struct L l={0}; pthread_mutex_lock(&l.m); x++; pthread_mutex_unlock(&l.m); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
