#include "pre.h"
int main(){ int i=__VERIFIER_nondet_int(); if(i<0||i>3) return 0; float a=i; a=a/2; int k=(int)(a*3); assert(k!=4); }
