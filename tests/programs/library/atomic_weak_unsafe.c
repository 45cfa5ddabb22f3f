// A weak compare and exchange may fail for no reason.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe   staged: unsafe
// property: unreach   truth: unsafe   data-model: ilp32
// explore: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple shared;

int main(void) {
    struct triple expected = {0, 0, 0}, desired = {1, 1, 1};
    assert(atomic_compare_exchange_weak(&shared, &expected, desired));
    return 0;
}
