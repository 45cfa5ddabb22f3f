#include "pre.h"
int* g(int*o,int n){ int x=n; int*r=&x; if(o) *o=1; if(n) return r; return 0; }
int*volatile V; int main(){ V=g(0,1); g(V,0); }
