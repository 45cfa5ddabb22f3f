#include "pre.h"
int x; void*f(void*p){ pthread_t t; long n=(long)p; if(n>0){ pthread_create(&t,0,f,(void*)(n-1)); pthread_join(t,0);} x++; if(n==1){ pthread_create(&t,0,f,0); x++; } return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,(void*)1); pthread_join(t,0); pthread_exit(0);}
