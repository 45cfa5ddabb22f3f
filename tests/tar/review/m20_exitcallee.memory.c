#include "pre.h"
void*f(void*p){ *(int*)p=1; return 0;}
void ex(void){ pthread_exit(0); }
void*a(void*z){ int x=0; pthread_t t; pthread_create(&t,0,f,&x); ex(); return 0; }
int main(){ pthread_t t; pthread_create(&t,0,a,0); pthread_exit(0);}
