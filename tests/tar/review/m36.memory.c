int* g(int*o){ int x=0; int*r=&x; if(o) *o=1; return r; }
int main(){ int y=0; int *p=g(0); int z=*p; return 0; }
