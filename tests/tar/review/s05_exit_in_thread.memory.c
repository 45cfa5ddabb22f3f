#include "pre.h"
void*f(void*p){ int*q=p; for(int i=0;i<2;i++) q[i]=1; return 0;}
int main(){ int b[2]; pthread_t t; pthread_create(&t,0,f,b); pthread_detach(t); pthread_exit(0);}
