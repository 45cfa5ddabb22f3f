#include "pre.h"
void*f(void*p){ int y=1; *(int**)p=&y; return 0;}
int main(){ pthread_t t; int*q=0; pthread_create(&t,0,f,&q); pthread_join(t,0); return *q;}
