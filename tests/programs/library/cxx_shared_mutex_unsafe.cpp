// Threads that share a std::shared_mutex do not synchronise with each other.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
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
        mutex.lock_shared();
        data++;
        mutex.unlock_shared();
    }
}

int main() {
    std::thread one(first), two(second);
    one.join();
    two.join();
    return 0;
}
