#include "pre.h"
int*g; void*f(void*p){ static int y; g=&y; y=1; return &y;} 
int main(){ pthread_t t; void*r; pthread_create(&t,0,f,0); int*q=g; if(q) *q=2; pthread_join(t,&r); *(int*)r=3; }
