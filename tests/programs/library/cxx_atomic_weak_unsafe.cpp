// A weak compare and exchange of C++ may fail for no reason.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
#include <atomic>
#include <cassert>

struct triple {
    long a, b, c;
};

std::atomic<triple> shared{triple{0, 0, 0}};

int main() {
    triple expected{0, 0, 0};
    assert(shared.compare_exchange_weak(expected, triple{1, 1, 1}));
    return 0;
}
