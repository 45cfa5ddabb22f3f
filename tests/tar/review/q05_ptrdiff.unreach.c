#include "pre.h"
int a[4]; int main(){ int k=__VERIFIER_nondet_int()&3; int*q=&a[k]; assert(q-a!=3); }
