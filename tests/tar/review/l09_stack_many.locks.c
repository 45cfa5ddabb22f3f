#include "pre.h"
void *f(void*z){ pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; if(z) pthread_mutex_lock(&m); else pthread_mutex_unlock(&m); return 0;}
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,&t); pthread_join(t,0); pthread_join(u,0);}
