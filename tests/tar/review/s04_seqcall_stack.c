#include "pre.h"
int x; void*f(void*p){ (*(int*)p)++; return 0;}
void st(int n){ int*b=malloc(4); *b=0; pthread_t t; pthread_create(&t,0,f,b); if(n) (*b)++; }
int main(){ st(0); st(1); pthread_exit(0);}
