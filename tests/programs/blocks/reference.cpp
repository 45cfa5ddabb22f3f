// In C++ a jump back to before a declaration ends the variable's life.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int *p;

int main() {
    int n = 0;
again:
    if (n == 1) {
        *p = 2;
        return 0;
    }
    int x = 1;
    p = &x;
    n++;
    goto again;
}
