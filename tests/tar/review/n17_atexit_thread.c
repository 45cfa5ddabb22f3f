#include "pre.h"
int x; void*g(void*p){ x++; return 0;} void*f(void*p){ pthread_t t; pthread_create(&t,0,g,0); pthread_detach(t); return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); x=2; pthread_exit(0);}
