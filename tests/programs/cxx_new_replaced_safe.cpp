// Operators new and delete that the program replaces are called by those for arrays and by those that are given a size.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: memory    truth: safe
// explore: safe   impact: safe   staged: safe
#include <cassert>
#include <cstdlib>
#include <new>

static int count;

void *operator new(std::size_t bytes) {
    count++;
    return static_cast<char *>(std::malloc(bytes + 16)) + 16;
}

void operator delete(void *block) noexcept {
    count--;
    if (block) std::free(static_cast<char *>(block) - 16);
}

int main() {
    int *a = new int(1);
    assert(count == 1);
    delete a;
    int *b = new int[3];
    assert(count == 1);
    delete[] b;
    assert(count == 0);
    return 0;
}
