#include "pre.h"
int main(){ union{float f;int i;} u; u.f=1.0f; assert(u.i!=0x3f800000); }
