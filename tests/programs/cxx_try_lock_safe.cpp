// property: unreach   truth: safe   args: -std=c++17
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race   truth: safe   args: -std=c++17
// explore: safe   impact: safe   priori: safe   staged: safe
// What is done under the lock is done under the lock, whether or not it was taken at once.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
int shared = 0;

void count() {
    if (mutex.try_lock()) {
        shared++;
        mutex.unlock();
    }
}

int main() {
    std::thread other(count);
    count();
    other.join();
    assert(shared <= 2);
}
