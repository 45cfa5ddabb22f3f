#include "pre.h"
_Thread_local int x; void*f(void*p){ *(int*)p=1; return 0;}
void*a(void*z){ pthread_t t; pthread_create(&t,0,f,&x); pthread_exit(0); }
int main(){ pthread_t t; pthread_create(&t,0,a,0); pthread_exit(0);}
