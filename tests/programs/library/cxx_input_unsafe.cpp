// Two threads that read into one variable race.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe
#include <cassert>
#include <iostream>
#include <thread>

int main() {
    int one = 7;
    std::thread thread([&one] { std::cin >> one; });
    std::cin >> one;
    thread.join();
    return 0;
}
