#include "pre.h"
void fr(int*p){ free(p);} 
int main(){ int*p=malloc(4); if(__VERIFIER_nondet_int()) fr(p); fr(p); }
