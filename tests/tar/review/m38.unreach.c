#include <stdlib.h>
#include <assert.h>
void esc(int*r){ *r=1; }
void h(int*o){ int x=0; esc(&x); *o=2; assert(x==1||x==2); }
int main(){ int*p=malloc(4); free(p); h(p); return 0; }
