// Constant indices that stay in their arrays take nothing for granted.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
struct record {
    int values[4];
    int after;
};

int main(void) {
    struct record record = {{0}};
    record.values[3] = 3;
    return record.values[3] - 3;
}
