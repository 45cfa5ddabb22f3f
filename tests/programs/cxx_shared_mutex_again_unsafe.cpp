// A thread locks a shared mutex for reading that it has locked for reading ([thread.sharedmutex.class]/3).
// property: locks   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <shared_mutex>

std::shared_mutex lock;

int main() {
    lock.lock_shared();
    lock.lock_shared();
    lock.unlock_shared();
    lock.unlock_shared();
}
