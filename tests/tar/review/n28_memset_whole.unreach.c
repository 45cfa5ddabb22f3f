#include "pre.h"
struct{char c; int y __attribute__((packed));} x; void*f(void*p){ memset(&x,0,5); return 0;}
int main(){ pthread_t t; x.y=-1; pthread_create(&t,0,f,0); int v=x.y; assert(v==0||v==-1); pthread_join(t,0); }
