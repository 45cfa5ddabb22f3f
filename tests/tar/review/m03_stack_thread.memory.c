#include "pre.h"
void *f(void*p){ *(int*)p=1; return 0;}
void st(void){ int x; pthread_t t; pthread_create(&t,0,f,&x);}
int main(){ st(); pthread_exit(0);}
