// A recursive mutex may be tried by its owner, and others by those who own something else.
// property: locks   truth: safe   args: -std=c++17
// explore: safe   impact: safe   staged: safe
#include <mutex>
#include <shared_mutex>
#include <thread>

std::mutex mutex;
std::recursive_mutex recursive;
std::shared_mutex shared;

void other() {
    if (mutex.try_lock()) mutex.unlock();
    if (shared.try_lock_shared()) shared.unlock_shared();
}

int main() {
    std::thread thread(other);
    mutex.lock();
    recursive.lock();
    if (recursive.try_lock()) recursive.unlock();
    if (shared.try_lock()) shared.unlock();
    recursive.unlock();
    mutex.unlock();
    thread.join();
}
