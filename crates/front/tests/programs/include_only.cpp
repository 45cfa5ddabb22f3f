// A file that merely includes <iostream>, and a plain class.
// property: unreach   truth: safe
#include <iostream>
#include <cassert>
class Counter {
    int value = 0;
public:
    Counter &operator++() { ++value; return *this; }
    int get() const { return value; }
};
int main() {
    Counter counter;
    ++++counter;
    assert(counter.get() == 2);
}
