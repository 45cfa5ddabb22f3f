#include <stdlib.h>
int S; void esc(int*r){ *r=1; }
void h(int*o){ int x=0; esc(&x); *o=1; }
int main(){ int*p=malloc(4); free(p); h(p); return 0; }
