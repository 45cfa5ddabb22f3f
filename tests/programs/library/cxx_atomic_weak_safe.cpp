// A strong compare and exchange of C++ does not fail for no reason.
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
#include <atomic>
#include <cassert>

struct triple {
    long a, b, c;
};

std::atomic<triple> shared{triple{0, 0, 0}};

int main() {
    triple expected{0, 0, 0};
    assert(shared.compare_exchange_strong(expected, triple{1, 1, 1}));
    return 0;
}
