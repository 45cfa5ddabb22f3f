// A pointer to the variable of the round before is used: the next round has another one.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int main(void) {
    int *p = 0;
    for (int i = 0; i < 2; i++) {
        int x = 1;
        if (i == 0)
            p = &x;
        else
            *p = 2;
    }
    return 0;
}
