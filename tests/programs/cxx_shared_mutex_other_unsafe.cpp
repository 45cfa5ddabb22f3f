// A thread that reads under a shared mutex unlocks it as a writer does.
// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <shared_mutex>

std::shared_mutex lock;

int main() {
    lock.lock_shared();
    lock.unlock();
}
