#include "pre.h"
int x; int A[64];
void g(void){ pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
int i=A[0]; i+=A[1];i+=A[2];i+=A[3];i+=A[4];i+=A[5];i+=A[6];i+=A[7];i+=A[8];i+=A[9];i+=A[10];i+=A[11];i+=A[12];i+=A[13];i+=A[14];i+=A[15];i+=A[16];i+=A[17];i+=A[18];i+=A[19];i+=A[20];i+=A[21];i+=A[22];i+=A[23];i+=A[24];i+=A[25];i+=A[26];i+=A[27];i+=A[28];i+=A[29];i+=A[30];i+=A[31];i+=A[32];i+=A[33];i+=A[34];i+=A[35];i+=A[36];i+=A[37];i+=A[38];i+=A[39];i+=A[40];i+=A[41];i+=A[42];i+=A[43];i+=A[44];i+=A[45];}
void*f(void*p){ g(); return 0;}
int main(){ pthread_t t; pthread_create(&t,0,f,0); g(); pthread_exit(0);}
