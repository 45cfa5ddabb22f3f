#include "pre.h"
int main(){ int*p=malloc(8); p[0]=-1; p[1]=-1; memset((char*)p+2,0,4); assert(p[0]!=65535); }
