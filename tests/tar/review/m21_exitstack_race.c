#include "pre.h"
void*f(void*p){ *(int*)p=1; return 0;}
void*a(void*z){ int x; pthread_t t; pthread_create(&t,0,f,&x); pthread_exit(0); }
int main(){ pthread_t t; pthread_create(&t,0,a,0); pthread_join(t,0); pthread_exit(0);}
