#include "pre.h"
int *p; void *f(void*z){ *p=1; return 0;}
int main(){ pthread_t t; p=malloc(4); pthread_create(&t,0,f,0); free(p); pthread_exit(0); }
