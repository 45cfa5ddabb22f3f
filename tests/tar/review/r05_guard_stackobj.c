#include "pre.h"
struct S{pthread_mutex_t m;int *p;}; int g;
void *f(void*z){ struct S s={PTHREAD_MUTEX_INITIALIZER,&g}; struct S*q=&s; pthread_mutex_lock(&q->m); (*q->p)++; pthread_mutex_unlock(&q->m); return 0;}
int main(){ pthread_t t; for(int i=0;i<2;i++) pthread_create(&t,0,f,0); pthread_exit(0); }
