// A jump to a label right in front of a block leaves the block: its variable is another one then.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int main(void) {
    int *p = 0;
    int n = 0;
again: {
    int x = 3;
    if (n == 0) {
        p = &x;
        n = 1;
        goto again;
    }
    *p = 4;
}
    return 0;
}
