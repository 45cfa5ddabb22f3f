#include "pre.h"
struct{int a:3,b:5;} s; void*f(void*p){ s.a=1; return 0;} 
int main(){ pthread_t t; pthread_create(&t,0,f,0); s.b=1; pthread_join(t,0); }
