#include "pre.h"
int*h; int *mk(void){ int*p=malloc(4); h=p; return p;}
int main(){ int*p=mk(); free(h); int*q=mk(); *q=1; *p=2; }
