#include "pre.h"
int main(){ int*p=0; for(int i=0;i<2;i++){ if(i==1) *p=2; p=malloc(4); *p=1; free(p);} }
