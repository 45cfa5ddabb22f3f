#include "pre.h"
struct P{int a,b,c,d,e,f;} x; 
void *f(void*p){ assert(x.a==0); return 0;}
int main(){ pthread_t t; struct P y={1,2,3,4,5,6}; x=y; pthread_create(&t,0,f,0); pthread_exit(0); }
