// Control comes into a block by a jump over the declaration; the variable is there, and gone behind the block.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int *p;

int main(void) {
    int n = 0;
    goto in;
    while (n < 2) {
        int x;
    in:
        p = &x;
        x = 1;
        *p = 2;
        n++;
    }
    *p = 3;
    return 0;
}
