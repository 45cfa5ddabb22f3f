// A thread that has a std::shared_mutex alone synchronises with those that shared it.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <atomic>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
std::atomic<int> flag{0};
int data;

void first() {
    mutex.lock_shared();
    data = 1;
    mutex.unlock_shared();
    flag.store(1, std::memory_order_relaxed);
}

void second() {
    if (flag.load(std::memory_order_relaxed) == 1) {
        mutex.lock();
        data++;
        mutex.unlock();
    }
}

int main() {
    std::thread one(first), two(second);
    one.join();
    two.join();
    return 0;
}
