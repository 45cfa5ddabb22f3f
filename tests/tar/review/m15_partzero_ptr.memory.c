#include "pre.h"
int y; int *p=&y; 
int main(){ memset(&p,0,4); *p=1; }
