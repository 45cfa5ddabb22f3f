// The same without the use behind the block.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
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
    return 0;
}
