// A variable is written through a pointer after its block was left.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int *p;

int main(void) {
    {
        int x = 0;
        p = &x;
    }
    *p = 3;
    return 0;
}
