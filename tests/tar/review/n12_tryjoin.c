#include "pre.h"
int pthread_tryjoin_np(pthread_t,void**); int x; void*f(void*p){ x=1; return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_tryjoin_np(t,0); x=2; pthread_exit(0); }
