#include "pre.h"
void*f(void*p){ *(int*)p=1; return 0;}
int main(){ int x; pthread_t t; pthread_create(&t,0,f,&x); pthread_exit(0);}
