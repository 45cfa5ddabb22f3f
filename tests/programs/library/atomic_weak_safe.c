// A strong compare and exchange does not fail for no reason, and a weak one leaves what is there.
// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach   truth: safe   data-model: ilp32
// explore: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple shared;

int main(void) {
    struct triple expected = {0, 0, 0}, desired = {1, 1, 1};
    if (!atomic_compare_exchange_weak(&shared, &expected, desired)) {
        assert(expected.a == 0 && expected.c == 0);
        assert(atomic_compare_exchange_strong(&shared, &expected, desired));
    }
    return 0;
}
