// A parameter that is const, and so large that it is passed in memory, is written through a pointer.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
struct table {
    int rows[20];
};

static void clear(struct table *table) { table->rows[0] = 0; }

static int first(const struct table table) {
    clear((struct table *)&table);
    return table.rows[0];
}

int main(void) {
    struct table table = {{1, 2}};
    return first(table);
}
