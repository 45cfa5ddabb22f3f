#include "pre.h"
struct S{pthread_mutex_t m;} s[2]; int main(){ struct S*p=&s[__VERIFIER_nondet_int()&1],*q=&s[__VERIFIER_nondet_int()&1]; pthread_mutex_lock(&p->m); pthread_mutex_lock(&q->m); pthread_mutex_unlock(&q->m); pthread_mutex_unlock(&p->m);}
