// A variable-length array is gone after its loop body.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int *p;

int main(void) {
    for (int n = 1; n < 3; n++) {
        int a[n];
        a[0] = n;
        p = a;
        *p = 2;
    }
    *p = 1;
    return 0;
}
