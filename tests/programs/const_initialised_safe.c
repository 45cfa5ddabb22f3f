// What is const is written where it is declared, also by a function that returns a structure, and again in each round.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
struct pair {
    int one, two;
};

static struct pair make(int one) { return (struct pair){one, one + 1}; }

static int sum(const int *from, const struct pair *pair) { return from[0] + pair->two; }

int main(void) {
    int all = 0;
    for (int i = 0; i < 3; i++) {
        const int numbers[2] = {i, i};
        const struct pair pair = make(i);
        const int limit = i;
        all += sum(numbers, &pair) + *&limit;
    }
    return all == 12 ? 0 : 1;
}
