#include "pre.h"
struct S{pthread_mutex_t m;} s[3]; void (*fp)(struct S*,int); void g(struct S*p,int n){ pthread_mutex_lock(&p->m); if(n) fp(p,n-1); pthread_mutex_unlock(&p->m);} int main(){ fp=g; g(&s[1],1);}
