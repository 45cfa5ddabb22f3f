// Nothing of a discarded object is kept.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
static int count;

struct H {
    int v = 1;
    H() { count += v; }
};

struct pair {
    int first, second, third, fourth, fifth;
};

static pair make(int first) { return pair{first, 2, 3, 4, 5}; }

int main() {
    H();
    make(1);
    for (int i = 0; i < 2; i++, H()) {
    }
    return count == 3 ? 0 : *(int *)0;
}
