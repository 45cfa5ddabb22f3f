// Two threads may read from std::cin at a time.
// property: race   truth: safe
// explore: unknown (inputs)   impact: safe
#include <cassert>
#include <iostream>
#include <thread>

int main() {
    int one = 7, two = 7;
    std::thread thread([&one] { std::cin >> one; });
    std::cin >> two;
    thread.join();
    return 0;
}
