// property: memory   truth: unsafe
// explore: unsafe   impact: unknown (undefined)   staged: unsafe
//
// What a function returns may be all that refers to a variable of its that is gone; the same place is used again by
// the next call.
int *use(int *old)
{
    int own = 0;
    int *result = &own;
    if (old)
        *old = 1;
    return result;
}

int main(void)
{
    use(use(0));
    return 0;
}
