#include "pre.h"
#include <threads.h>
int x; int f(void*p){ x++; return 0;} 
int main(){ thrd_t t,u; thrd_create(&t,f,0); thrd_create(&u,f,0); thrd_join(t,0); thrd_join(u,0); }
