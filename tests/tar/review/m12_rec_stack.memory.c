#include "pre.h"
int *sv; void g(int n){ int x=n; if(n==1) sv=&x; if(n>0) g(n-1); else *sv=3; }
int main(){ g(1); g(0); }
