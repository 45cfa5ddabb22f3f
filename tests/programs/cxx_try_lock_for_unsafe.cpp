// A wait with a time may fail although the mutex is free (C++17 [thread.timedmutex.requirements]).
// property: unreach   truth: unsafe   args: -std=c++17
// property: unreach   truth: safe   args: -std=c++17   libc: glibc
#include <cassert>
#include <chrono>
#include <mutex>

std::timed_mutex mutex;

int main() {
    bool taken = mutex.try_lock_for(std::chrono::seconds(0));
    assert(taken);
    mutex.unlock();
}
