// The operators of arrays call those of single objects that the program replaces, with 32-bit pointers too.
// property: unreach   truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
#include <cassert>
#include <cstdlib>
#include <new>

int made;

void *operator new(std::size_t size) {
    made++;
    return std::malloc(size);
}

int main() {
    char *several = new char[4];
    void *one = operator new(4, std::nothrow);
    assert(made == 2 && several && one);
}
