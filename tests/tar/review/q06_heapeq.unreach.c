#include "pre.h"
int main(){ int*p[2]; for(int i=0;i<2;i++) p[i]=malloc(4); int k=__VERIFIER_nondet_int()&1; assert(p[k]!=p[0]); }
