#include "pre.h"
volatile int x; void*f(void*p){ x=1; return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); x=2; pthread_join(t,0); }
