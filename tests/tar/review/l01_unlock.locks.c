#include "pre.h"
pthread_mutex_t m; int main(){ if(__VERIFIER_nondet_int()) pthread_mutex_lock(&m); pthread_mutex_unlock(&m);}
