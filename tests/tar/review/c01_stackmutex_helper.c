#include "pre.h"
int x;
void g(pthread_mutex_t*m){ pthread_mutex_lock(m); x++; pthread_mutex_unlock(m); }
void *f(void*p){ pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; g(&m); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
