#include "pre.h"
int g; _Thread_local pthread_mutex_t *lm;
void *f(void*p){ pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; lm=&m; pthread_mutex_lock(lm); g++; pthread_mutex_unlock(lm); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
