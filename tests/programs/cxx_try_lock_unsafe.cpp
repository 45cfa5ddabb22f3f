// property: unreach   truth: unsafe   args: -std=c++17
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   args: -std=c++17   libc: glibc
// explore: safe   impact: safe   priori: safe   staged: safe
// By the standard try_lock may fail although the mutex is free; libstdc++'s does not.
#include <cassert>
#include <mutex>

std::mutex mutex;

int main() {
    bool taken = mutex.try_lock();
    assert(taken);
    mutex.unlock();
}
