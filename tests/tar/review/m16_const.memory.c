#include "pre.h"
int main(){ char*s=(char*)"abc"; int k=__VERIFIER_nondet_int()&3; s[k]=1; }
