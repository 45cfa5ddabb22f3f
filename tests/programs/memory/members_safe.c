// property: memory   truth: safe
// explore: safe   staged: safe
// Inside its array the index stays; that it does not lead into `after` is what a proof takes for granted.
struct record {
    int values[4];
    int after;
};

int main(void) {
    struct record record = {{0}};
    for (int i = 0; i < 4; i++) record.values[i] = i;
    return record.values[3] - 3;
}
