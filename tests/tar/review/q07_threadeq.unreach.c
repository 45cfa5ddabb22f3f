#include "pre.h"
pthread_t t; void*f(void*p){ return 0;} int main(){ pthread_t u; pthread_create(&t,0,f,0); u=t; assert(!pthread_equal(t,u)); }
