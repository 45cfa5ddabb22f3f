#include "pre.h"
int main(){ for(int i=0;i<2;i++){ pthread_mutex_t*m=malloc(sizeof*m); pthread_mutex_init(m,0); pthread_mutex_lock(m); if(i==1) pthread_mutex_lock(m);} }
