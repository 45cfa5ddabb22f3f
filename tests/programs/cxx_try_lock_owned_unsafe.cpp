// A thread must not try a mutex that it owns, of a kind that is not recursive (C++17 [thread.mutex.requirements.mutex]).
// property: locks   truth: unsafe   args: -std=c++17
// explore: unsafe   impact: unsafe   staged: unsafe
// property: unreach   truth: unsafe   args: -std=c++17
// explore: unknown (undefined)   impact: unknown (undefined)   priori: unknown (undefined)   staged: unknown (undefined)
#include <cassert>
#include <mutex>

std::mutex mutex;

int main() {
    std::unique_lock<std::mutex> held(mutex);
    bool again = mutex.try_lock();
    assert(!again);
}
