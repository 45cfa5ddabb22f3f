#include "pre.h"
int x; pthread_mutex_t m; void*f(void*p){ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0;}
int main(){ pthread_t t; pthread_mutex_init(&m,0); pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_mutex_t c=m; pthread_mutex_lock(&c); x++; pthread_mutex_unlock(&c); pthread_exit(0);}
