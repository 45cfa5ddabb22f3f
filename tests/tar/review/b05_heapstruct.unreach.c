#include "pre.h"
struct N{int v; struct N*n;}; struct N*h; 
void *f(void*p){ assert(h->v!=5); return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++){ struct N*p=malloc(sizeof*p); p->v=0; p->v=5; h=p;} pthread_create(&t,0,f,0); pthread_exit(0); }
