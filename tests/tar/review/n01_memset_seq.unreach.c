#include "pre.h"
int x=-1; int main(){ memset(&x,0,1); assert(x!=-256); }
