#include "pre.h"
struct W{int*p;}; struct W w; void k(int*q){ w.p=q; } void g(int n){ int x=n; if(n) k(&x); else *w.p=1; }
int main(){ g(1); g(0); }
