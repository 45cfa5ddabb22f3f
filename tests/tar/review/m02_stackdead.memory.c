#include "pre.h"
int *g(void){ int x=1; int*q=&x; return q; }
int main(){ int*p=g(); return *p; }
