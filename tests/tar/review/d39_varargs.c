#include "pre.h"
#include <stdarg.h>
int x; void g(int n,...){ va_list l; va_start(l,n); int*p=va_arg(l,int*); (*p)++; va_end(l);} void *f(void*p){ g(1,&x); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); return 0; }
