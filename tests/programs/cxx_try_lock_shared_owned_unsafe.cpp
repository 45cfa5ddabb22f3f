// The owner of a shared lock must not try the mutex either.
// property: locks   truth: unsafe   args: -std=c++17
// explore: unsafe   impact: unsafe   staged: unsafe
#include <shared_mutex>

std::shared_mutex mutex;

int main() {
    mutex.lock_shared();
    if (mutex.try_lock()) mutex.unlock();
    mutex.unlock_shared();
}
