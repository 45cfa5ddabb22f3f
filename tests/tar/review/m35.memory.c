int* g(int*o){ int x=0; int*r=&x; if(o) *o=1; return r; }
int main(){ g(g(0)); return 0; }
