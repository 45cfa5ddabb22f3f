#include "pre.h"
struct S{pthread_mutex_t m; int x; struct S*n;}; struct S s[4]; pthread_mutex_t M,M2;
static struct S*pick(void){ int i=__VERIFIER_nondet_int(); return &s[i&3]; }
pthread_mutex_t R=PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
void *f(void*z){ pthread_mutex_lock(&R); pthread_mutex_lock(&R); pthread_mutex_unlock(&R); pthread_mutex_unlock(&R); s[0].x++; return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0); }
