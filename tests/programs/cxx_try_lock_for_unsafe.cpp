// A wait with a time may fail although the mutex is free (C++17 [thread.timedmutex.requirements]).
// property: unreach   truth: unsafe   args: -std=c++17
// explore: unsafe   impact: unknown (time)   priori: unsafe   staged: unsafe
// property: unreach   truth: safe   args: -std=c++17   libc: glibc
// explore: unknown (inputs)   impact: safe   priori: unknown (undefined)   staged: safe
#include <cassert>
#include <chrono>
#include <mutex>

std::timed_mutex mutex;

int main() {
    bool taken = mutex.try_lock_for(std::chrono::seconds(0));
    assert(taken);
    mutex.unlock();
}
