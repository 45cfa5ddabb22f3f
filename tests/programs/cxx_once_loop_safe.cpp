// A flag in the body of a loop is a new one each time.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <cassert>
#include <mutex>

int count;

int main() {
    for (int i = 0; i < 2; i++) {
        std::once_flag flag;
        std::call_once(flag, [] { count++; });
        std::call_once(flag, [] { count++; });
    }
    assert(count == 2);
}
