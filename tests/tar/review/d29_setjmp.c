#include "pre.h"
#include <setjmp.h>
jmp_buf b; int x; void *f(void*p){ return (void*)(long)x;}
int main(){ pthread_t t; if(setjmp(b)==0){ pthread_create(&t,0,f,0); longjmp(b,1);} x=1; pthread_join(t,0); return 0; }
