#include "pre.h"
int x; 
void g(int n){ int v=n; int *p=&v; if(n>0) g(n-1); assert(*p<2); }
void*f(void*p){ g(2); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_exit(0);}
