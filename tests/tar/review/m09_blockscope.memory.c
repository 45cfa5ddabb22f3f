#include "pre.h"
int main(){ int*p=0; { int y=3; p=&y; } { int z=4; *p=5; } return 0;}
