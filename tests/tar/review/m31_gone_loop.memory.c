#include "pre.h"
void h(int **pp,int n){ int x=n; if(n) *pp=&x; else **pp=1; }
int main(){ int*p; for(int i=1;i>=0;i--) h(&p,i); }
