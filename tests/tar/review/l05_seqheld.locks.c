#include "pre.h"
pthread_mutex_t m; int h; void *f(void*z){ if(h) pthread_mutex_unlock(&m); return 0;}
int main(){ pthread_t t; if(__VERIFIER_nondet_int()) h=1; pthread_create(&t,0,f,0); pthread_join(t,0);}
