#include "pre.h"
pthread_mutex_t m; void g(void){ pthread_mutex_lock(&m); pthread_mutex_unlock(&m);} void *f(void*z){ pthread_mutex_lock(&m); g(); pthread_mutex_unlock(&m); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0);}
