#include "pre.h"
int x; pthread_mutex_t m[2];
void lockit(pthread_mutex_t*p){ pthread_mutex_lock(p); } 
void *f(void*p){ long k=(long)p; lockit(&m[k&1]); x++; pthread_mutex_unlock(&m[k&1]); return 0;}
int main(){ pthread_t t; for(long i=0;i<2;i++) pthread_create(&t,0,f,(void*)i); pthread_exit(0); }
