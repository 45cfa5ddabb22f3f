// A structure that is const is written through a pointer after a function has returned it.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
struct table {
    int rows[20];
};

static struct table make(int first) {
    struct table table = {{0}};
    table.rows[0] = first;
    return table;
}

int main(void) {
    const struct table table = make(1);
    struct table *changed = (struct table *)&table;
    changed->rows[1] = 2;
    return table.rows[1];
}
