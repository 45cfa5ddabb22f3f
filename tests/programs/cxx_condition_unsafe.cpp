// std::condition_variable without a look at the condition.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: deadlock   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
// property: locks      truth: safe
// explore: safe   impact: safe   staged: safe
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool is_ready;

int main() {
    std::thread producer([] {
        std::unique_lock<std::mutex> lock(mutex);
        is_ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock);
    }
    producer.join();
    return 0;
}
