#include "pre.h"
int* g(int*o,int n){ int x=n; int*r=&x; if(o) *o=1; return n?r:0; }
int main(){ int*p=g(0,1); g(p,0); }
