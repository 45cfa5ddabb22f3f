#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
pthread_cond_t c=PTHREAD_COND_INITIALIZER; 
void *f(void*z){ pthread_mutex_lock(&M); pthread_mutex_lock(&M2); pthread_cond_wait(&c,&M2); pthread_mutex_unlock(&M); s[0].x++; pthread_mutex_unlock(&M2); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
