// A condition variable that was destroyed is made again before it is used.
// property: locks   truth: safe
// explore: safe   impact: safe   staged: safe
#include <condition_variable>
#include <new>

alignas(std::condition_variable) static char bytes[sizeof(std::condition_variable)];

int main() {
    auto *ready = new (bytes) std::condition_variable;
    ready->~condition_variable();
    ready = new (bytes) std::condition_variable;
    ready->notify_one();
    ready->~condition_variable();
    return 0;
}
