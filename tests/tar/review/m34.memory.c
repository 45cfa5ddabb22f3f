int*V; int g(int*o){ int x=0; int*r=&x; if(o) *o=1; V=r; return 0; }
int main(){ g(0); g(V); return 0; }
