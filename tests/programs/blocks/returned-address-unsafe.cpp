// The address of a local variable is returned, and used if it is not null.
// property: memory   truth: unsafe
// explore: unsafe   impact: unknown (undefined)   staged: unsafe
static int *find(int count) {
    int x = count;
    return &x;
}

int main(int count, char **) {
    int *p = nullptr;
    if (count > 1) p = find(count);
    return p ? *p : 0;
}
