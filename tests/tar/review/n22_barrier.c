#include "pre.h"
pthread_barrier_t b; int x; void*f(void*p){ pthread_barrier_wait(&b); x++; return 0;} 
int main(){ pthread_t t; pthread_barrier_init(&b,0,2); pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0);}
