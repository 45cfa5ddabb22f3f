#include "pre.h"
int *q;
void *f(void*p){ assert(*q!=5); return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++){ int*p=calloc(1,4); *p=5; q=p;} pthread_create(&t,0,f,0); pthread_exit(0); }
