// The same thread is joined inside the block.
// property: memory     truth: safe
// explore: safe   impact: safe
#include <cassert>
#include <thread>

int main() {
    for (int i = 0; i < 2; i++) {
        int a = 0;
        std::thread t([&a] { a = 1; });
        t.join();
        assert(a == 1);
    }
    return 0;
}
