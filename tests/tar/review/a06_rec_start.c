#include "pre.h"
void *f(void*p){ (*(int*)p)++; return 0;}
void start(int n,void*p){ pthread_t t; pthread_create(&t,0,f,p); if(n>0) start(n-1,p);}
int main(){ int *p=malloc(4); *p=0; start(1,p); pthread_exit(0); }
