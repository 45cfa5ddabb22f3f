#include "pre.h"
#include <semaphore.h>
sem_t s; int x; void*f(void*p){ sem_wait(&s); x++; sem_post(&s); return 0;} 
int main(){ pthread_t t; sem_init(&s,0,2); pthread_create(&t,0,f,0); pthread_create(&t,0,f,0); pthread_exit(0);}
