// A condition variable is used after its destruction.
// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <condition_variable>
#include <new>

alignas(std::condition_variable) static char bytes[sizeof(std::condition_variable)];

int main() {
    auto *ready = new (bytes) std::condition_variable;
    ready->~condition_variable();
    ready->notify_one();
    return 0;
}
