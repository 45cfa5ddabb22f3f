#include "pre.h"
void *f(void*p){ (*(int*)p)++; return 0;}
int main(){ pthread_t t; int*old=0; for(int i=0;i<2;i++){ int*p=calloc(1,4); if(old) p=old; old=p; pthread_create(&t,0,f,p);} pthread_exit(0); }
