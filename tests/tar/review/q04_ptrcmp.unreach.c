#include "pre.h"
int a[4]; int main(){ int*p=a+4; int k=__VERIFIER_nondet_int()&3; int*q=&a[k]; assert(q+1!=p); }
