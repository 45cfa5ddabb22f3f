#include "pre.h"
int g; 
void h(void){ pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m); for(volatile int i=0;i<1;i++){} 
g++;}
void *f(void*p){ pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m); return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++) pthread_create(&t,0,f,0); pthread_exit(0); }
