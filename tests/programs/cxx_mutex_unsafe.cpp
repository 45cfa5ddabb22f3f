// One std::thread counts without the mutex.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
// property: race       truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
int count;

int main() {
    std::thread first([] {
        std::lock_guard<std::mutex> guard(mutex);
        count++;
    });
    count++;
    first.join();
    assert(count == 2);
    return 0;
}
