#include <stdlib.h>
void esc(char*r){ *r=1; }
int*dead(void){ int*p=malloc(4); free(p); return p; }
int main(){ int*p=dead(); char*q=__builtin_alloca(4); *p=1; esc(q); return 0; }
