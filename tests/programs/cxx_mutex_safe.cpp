// std::thread, std::mutex and std::lock_guard.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
// property: deadlock   truth: safe
// explore: safe   impact: safe   staged: safe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
int count;

void worker(int by) {
    std::lock_guard<std::mutex> guard(mutex);
    count += by;
}

int main() {
    std::thread first(worker, 1), second(worker, 2);
    first.join();
    second.join();
    assert(count == 3);
    return 0;
}
