extern int variable;
static int hidden(int x) { return x - 1; }
int shared(int x) { return hidden(x) + variable; }
int unused(void) { return 0; }
