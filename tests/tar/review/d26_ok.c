#include "pre.h"
int x; void *f(void*p){ return (void*)(long)x;}
void run(int n){ pthread_t t[4]; for(int i=0;i<n;i++) pthread_create(&t[i],0,f,0); for(int j=0;j<n;j++) pthread_join(t[j],0); x=1; }
int main(){ run(3); return 0; }
