// Message passing with a relaxed std::atomic orders nothing.
// property: race       truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> flag;
int data;

int main() {
    std::thread writer([] {
        data = 42;
        flag.store(true, std::memory_order_relaxed);
    });
    if (flag.load(std::memory_order_relaxed)) assert(data == 42);
    writer.join();
    return 0;
}
