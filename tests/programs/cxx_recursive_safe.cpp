// std::recursive_mutex, std::call_once, new and delete, virtual functions.
// property: unreach    truth: safe
// explore: safe   impact: unknown (time)   priori: safe   staged: unknown (unsupported)
// property: deadlock   truth: safe
// explore: safe   impact: unknown (time)   staged: unknown (unsupported)
// property: locks      truth: safe
// explore: safe   impact: safe   staged: unknown (unsupported)
// property: memory     truth: safe
// explore: safe   impact: unknown (time)   staged: unknown (unsupported)
#include <cassert>
#include <mutex>
#include <thread>

struct Shape {
    virtual ~Shape() {}
    virtual int corners() const = 0;
};

struct Square : Shape {
    int *numbers = new int[2];
    ~Square() { delete[] numbers; }
    int corners() const override { return 4; }
};

std::recursive_mutex mutex;
std::once_flag flag;
int calls;

void enter(int depth) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (depth > 0) enter(depth - 1);
}

int main() {
    std::thread thread([] {
        enter(1);
        std::call_once(flag, [] { calls++; });
    });
    enter(1);
    std::call_once(flag, [] { calls++; });
    thread.join();
    assert(calls == 1);
    Shape *shape = new Square;
    assert(shape->corners() == 4);
    delete shape;
    return 0;
}
