#include "pre.h"
struct N{int v;}; struct N a[2]; _Atomic(struct N*) hd; void*f(void*p){ struct N*o=0; if(atomic_compare_exchange_strong(&hd,&o,(struct N*)p)) ; else o->v++; return 0;} 
int main(){ pthread_t t; for(int i=0;i<2;i++) pthread_create(&t,0,f,&a[i]); pthread_create(&t,0,f,&a[0]); pthread_exit(0);}
