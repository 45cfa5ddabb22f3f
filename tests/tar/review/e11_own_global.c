#include "pre.h"
int *g;
void *f(void*p){ (*(int*)p)++; if(g) (*g)++; return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++){ int*p=calloc(1,4); pthread_create(&t,0,f,p); if(i==0) g=p; } pthread_exit(0); }
