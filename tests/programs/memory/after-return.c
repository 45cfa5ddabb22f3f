// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
//
// A local variable is used after its function has returned.
int *keep;

static void leave(void)
{
    int x = 1;
    keep = &x;
}

int main(void)
{
    leave();
    return *keep;
}
