#include "pre.h"
void h(int **pp,int n){ int x=n; if(n) *pp=&x; else **pp=1; }
int main(){ int*p; h(&p,1); h(&p,0); }
