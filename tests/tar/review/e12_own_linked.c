#include "pre.h"
struct N{struct N*n;int v;};
void *f(void*p){ struct N*q=p; q->v++; if(q->n) q->n->v++; return 0;}
int main(){ pthread_t t; struct N*old=0; for(int i=0;i<2;i++){ struct N*p=calloc(1,sizeof*p); p->n=old; old=p; pthread_create(&t,0,f,p);} pthread_exit(0); }
