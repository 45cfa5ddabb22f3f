#include "pre.h"
pthread_mutex_t m; void*a(void*z){ pthread_mutex_lock(&m); pthread_exit(0); }
int main(){ pthread_t t; pthread_create(&t,0,a,0); pthread_join(t,0); pthread_mutex_destroy(&m); return 0;}
