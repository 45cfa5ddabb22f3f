#include "pre.h"
int x; void *f(void*p){ x++; return 0;}
pthread_mutex_t m;
int main(){ pthread_t t[4]; for(int i=0;i<2;i++) pthread_create((pthread_t*)((char*)t+i),0,f,0); for(int j=0;j<2;j++) pthread_join(*(pthread_t*)((char*)t+j),0); x=1; return 0; }
