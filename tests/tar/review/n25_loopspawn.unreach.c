#include "pre.h"
int x; void*f(void*p){ assert(x!=2); return 0;} 
int main(){ pthread_t t; for(int i=0;i<3;i++){ x=i; pthread_create(&t,0,f,0);} pthread_exit(0);}
