// A local static object is made once, whoever comes first; global objects are made before main and destroyed after it.
// property: unreach    truth: safe
// explore: safe   impact: unknown (time)   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
#include <cassert>
#include <thread>

int made, destroyed;

struct Object {
    int value;
    Object() : value(7) { made++; }
    ~Object() { destroyed++; }
};

struct Last {
    ~Last() { assert(destroyed == 2); }
} last;

Object global;

Object &instance() {
    static Object object;
    return object;
}

int main() {
    assert(made == 1);
    std::thread thread([] { assert(instance().value == 7); });
    assert(instance().value == 7);
    thread.join();
    assert(made == 2 && destroyed == 0);
    return 0;
}
