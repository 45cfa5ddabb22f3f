// The same of a shared mutex.
// property: unreach   truth: unsafe   args: -std=c++17
// explore: unsafe   impact: unknown (time)   priori: unsafe   staged: unsafe
#include <cassert>
#include <chrono>
#include <shared_mutex>

std::shared_timed_mutex mutex;

int main() {
    bool taken = mutex.try_lock_until(std::chrono::system_clock::now() + std::chrono::seconds(1));
    assert(taken);
    mutex.unlock();
}
