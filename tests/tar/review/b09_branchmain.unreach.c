#include "pre.h"
int x[2];
int main(){ pthread_t t; x[__VERIFIER_nondet_int()&1]=5; assert(x[0]==0); }
