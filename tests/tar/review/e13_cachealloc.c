#include "pre.h"
int *cache;
int *mk(void){ int*p; if(cache) return cache; p=malloc(4); *p=0; cache=p; return p;}
void *f(void*p){ (*(int*)p)++; return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++){ int*p=mk(); pthread_create(&t,0,f,p);} pthread_exit(0); }
