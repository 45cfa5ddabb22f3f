// A jump back inside a block keeps its variable (C11 6.2.4p6): the pointer stays valid, the value does not.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
int main(void) {
    int *p = 0, n = 0;
    {
    again:;
        int x;
        if (n == 1)
            *p = 7;
        p = &x;
        x = 1;
        if (n++ == 0)
            goto again;
    }
    return 0;
}
