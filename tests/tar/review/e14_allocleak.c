#include "pre.h"
int *g;
int *mk(void){ int*p=malloc(4); return p;}
void *f(void*p){ (*(int*)p)++; return 0;}
void *h(void*p){ (*(int*)g)++; return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++){ int*p=mk(); *p=0; g=p; pthread_create(&t,0,f,p);pthread_create(&t,0,h,0);} pthread_exit(0); }
