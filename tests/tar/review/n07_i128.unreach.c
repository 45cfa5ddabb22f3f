#include "pre.h"
int main(){ int i=__VERIFIER_nondet_int(); if(i<0||i>3) return 0; unsigned __int128 a=i; a<<=100; a>>=99; assert((int)a!=6); }
