#include "pre.h"
int main(){ int*q=0; for(int i=0;i<2;i++){ int*p=malloc(4); *p=i; if(q) *q=1; q=p; free(p);} }
