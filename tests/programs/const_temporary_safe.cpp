// Temporaries that are not const are written: by their constructors, through references to what is not const, and by their own functions.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
struct counter {
    int count;
    explicit counter(int first) : count(first) {}
    ~counter() { count = 0; }
    counter &raise() {
        count++;
        return *this;
    }
};

static int take(counter &&from) {
    int count = from.count;
    from.count = 0;
    return count;
}

int main() {
    counter &&kept = counter(1);
    kept.count = 2;
    const counter &seen = counter(5);
    return take(counter(3)) + counter(1).raise().count + kept.count + seen.count == 12 ? 0 : 1;
}
