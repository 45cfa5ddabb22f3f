#include "pre.h"
int main(){ int x=257; int k=__VERIFIER_nondet_int()?1:1; memset(&x,0,k); assert(x!=256); }
