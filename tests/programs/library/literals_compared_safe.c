// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// Whether equal string literals are one object, C leaves open (C11 6.4.5p7); clang makes them one, and the proof says that it counts on that.
#include <assert.h>

static const char *one(void) { return "text"; }

int main(void) {
    const char *other = "text";
    assert(one() == other);
    return 0;
}
