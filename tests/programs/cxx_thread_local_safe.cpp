// Thread-local objects are made and destroyed in their thread; main's when main returns.
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
    ~Last() { assert(made == 2 && destroyed == 2); }
} last;

thread_local Object object;

int main() {
    std::thread thread([] { assert(object.value++ == 7); });
    thread.join();
    assert(made == 1 && destroyed == 1);
    assert(object.value == 7);
    return 0;
}
