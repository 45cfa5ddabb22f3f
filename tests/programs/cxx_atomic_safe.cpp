// Message passing with std::atomic, release and acquire.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race       truth: safe
// explore: safe   priori: safe   staged: safe
#include <atomic>
#include <cassert>
#include <iostream>
#include <thread>

std::atomic<bool> flag;
int data;

int main() {
    std::thread writer([] {
        data = 42;
        flag.store(true, std::memory_order_release);
    });
    if (flag.load(std::memory_order_acquire)) assert(data == 42);
    writer.join();
    std::cout << "data " << data << std::endl;
    return 0;
}
