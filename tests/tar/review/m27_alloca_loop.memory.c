#include "pre.h"
int main(){ int*p=0; for(int i=0;i<2;i++){ int y=i; if(p) *p=1; p=&y;} return 0;}
