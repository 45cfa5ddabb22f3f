// A compound literal belongs to the block it is in.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int *p;

int main(void) {
    {
        p = &(int){1};
        *p = 2;
    }
    *p = 3;
    return 0;
}
