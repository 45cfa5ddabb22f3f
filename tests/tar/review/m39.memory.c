#include <stdlib.h>
void esc(int*r){ *r=1; }
int*dead(void){ int*p=malloc(4); free(p); return p; }
void h(int*o){ int x=0; *o=1; esc(&x); }
int main(){ h(dead()); return 0; }
