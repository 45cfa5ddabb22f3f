// C++: std::atomic, std::thread, std::mutex, classes with constructors and destructors, virtual functions, templates.
// property: unreach   truth: safe
#include <atomic>
#include <cassert>
#include <iostream>
#include <mutex>
#include <thread>

struct Shape {
    virtual int area() const { return 0; }
    virtual ~Shape() { destroyed++; }
    static int destroyed;
};
int Shape::destroyed;
struct Square : Shape {
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
    int side;
};
template <typename T> T twice(T value) { return value + value; }

struct Global {
    Global() : value(41) { value++; }
    int value;
} global;

static std::atomic<int> counter{0};
static std::atomic<bool> flag{false};
static std::mutex mutex;
static int plain, message;

static void work(int times) {
    for (int i = 0; i < times; i++) {
        std::lock_guard<std::mutex> guard(mutex);
        plain++;
    }
    counter.fetch_add(times, std::memory_order_relaxed);
}

int main() {
    assert(global.value == 42);
    Shape *shape = new Square(3);
    assert(shape->area() == 9 && twice(2.5) == 5);
    delete shape;
    assert(Shape::destroyed == 1);
    std::thread first(work, 1), second([] { work(2); });
    std::thread sender([] {
        message = 7;
        flag.store(true, std::memory_order_release);
    });
    first.join();
    second.join();
    sender.join();
    assert(flag.load(std::memory_order_acquire) && message == 7);
    assert(plain == 3 && counter == 3);
    int expected = 3;
    assert(counter.compare_exchange_strong(expected, 10) && counter.exchange(1) == 10);
    std::cout << "done " << counter << std::endl;
    return 0;
}
