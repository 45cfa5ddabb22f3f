#include "pre.h"
struct S{int x,y;} a[8];
void *f(void*p){ struct S*s=p; s->x=1; (s-1)->y=2; s->y=3; return 0;}
int main(){ pthread_t t; for(long i=1;i<3;i++) pthread_create(&t,0,f,&a[i]); pthread_exit(0); }
