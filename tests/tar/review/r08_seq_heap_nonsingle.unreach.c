#include "pre.h"
int *q[2]; void*f(void*p){ assert(*q[1]==0); return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++){ q[i]=calloc(1,4); *q[i]=7; } pthread_create(&t,0,f,0); pthread_exit(0);}
