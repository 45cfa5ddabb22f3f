#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;} void *g(void*p){return 0;}
void run(pthread_t *t, pthread_t*u){ for(int i=0;i<2;i++) pthread_create(&t[i],0,f,0); u[2]=t[0]; t=u; for(int j=0;j<2;j++) pthread_join(t[j],0); x=1; }
int main(){ pthread_t t[3],u[3]; pthread_create(&u[0],0,g,0); pthread_create(&u[1],0,g,0); run(t,u); return 0; }
