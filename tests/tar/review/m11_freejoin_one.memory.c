#include "pre.h"
void *f(void*z){ *(int*)z=1; return 0;}
int main(){ pthread_t t[2]; int*p=malloc(4); for(int i=0;i<2;i++) pthread_create(&t[i],0,f,p); for(int i=0;i<1;i++) pthread_join(t[i],0); free(p); pthread_exit(0);}
