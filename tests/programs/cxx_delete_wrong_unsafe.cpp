// Blocks that are freed by what does not belong to the function that made them.
// property: memory    truth: unsafe   args: -DARRAY
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DSINGLE
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DFREE
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DMALLOC
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DALIGNED
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DSIZE
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DREALLOC
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: safe
// explore: safe   impact: safe   staged: safe
#include <cstdlib>
#include <new>

struct alignas(64) Line {
    int number = 0;
};

struct Base {
    int one = 1;
};

struct Derived : Base {
    int two = 2;
};

struct Shape {
    virtual ~Shape() = default;
};

struct Square : Shape {
    int side = 2;
};

static void *make(bool is_array) {
    if (is_array) return new int[3];
    return new int;
}

static void drop(void *block, bool is_array) {
    if (is_array)
        delete[] static_cast<int *>(block);
    else
        delete static_cast<int *>(block);
}

int main() {
#ifdef ARRAY
    delete new int[3];
#endif
#ifdef SINGLE
    drop(make(false), true);
#endif
#ifdef FREE
    free(new int);
#endif
#ifdef MALLOC
    delete static_cast<int *>(malloc(sizeof(int)));
#endif
#ifdef ALIGNED
    ::operator delete(new Line);
#endif
#ifdef SIZE
    Base *base = new Derived;
    delete base;
#endif
#ifdef REALLOC
    free(realloc(new int, 8));
#endif
    drop(make(true), true);
    drop(make(false), false);
    drop(nullptr, true);
    delete new Line;
    delete[] new Line[2];
    delete new (std::nothrow) int;
    Shape *shape = new Square;
    delete shape;
    shape = new Shape;
    delete shape;
    free(malloc(4));
    return 0;
}
