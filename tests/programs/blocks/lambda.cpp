// A thread's lambda captures a variable of a block that is left.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <thread>

int main() {
    std::thread t;
    {
        int a = 0;
        t = std::thread([&a] { a = 1; });
    }
    t.join();
    return 0;
}
