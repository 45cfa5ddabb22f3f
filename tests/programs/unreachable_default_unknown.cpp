// __builtin_unreachable as the default of a switch that other values may reach.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <cassert>

static int twice(int x) {
    switch (x) {
    case 1: return 2;
    default: __builtin_unreachable();
    }
}

int main() {
    assert(twice(7) != 5);
    return 0;
}
