#include "pre.h"
void *f(void*z){ free(z); return 0;}
int main(){ pthread_t t,u; int*p=malloc(4); pthread_create(&t,0,f,p); pthread_create(&u,0,f,p); pthread_join(t,0); pthread_join(u,0);}
