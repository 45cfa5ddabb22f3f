// property: memory   truth: unsafe
// explore: unsafe   impact: unknown (undefined)   staged: unsafe
//
// The address of a variable that is gone comes back through a shared variable.
int *volatile kept;

int *use(int *old, int again)
{
    int own = again;
    int *result = &own;
    if (old)
        *old = 1;
    if (again)
        return result;
    return 0;
}

int main(void)
{
    kept = use(0, 1);
    use(kept, 0);
    return 0;
}
