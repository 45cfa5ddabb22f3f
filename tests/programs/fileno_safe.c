// The number of a stream stays the same, and those of two open ones differ.
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#include <assert.h>
#include <stdio.h>

int main(void) {
    FILE *one = fopen("one", "r"), *two = fopen("two", "r");
    if (!one || !two) return 0;
    int number = fileno(one);
    assert(number != fileno(two));
    assert(number == fileno(one) && number != fileno(stdin));
}
