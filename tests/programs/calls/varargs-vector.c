// A vector among variable arguments keeps the places of its elements.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <stdarg.h>

typedef int two __attribute__((vector_size(8)));
typedef int four __attribute__((vector_size(16)));

static int first_of_two(int n, ...) {
    va_list list;
    va_start(list, n);
    two v = va_arg(list, two);
    va_end(list);
    return v[0] + 10 * v[1];
}

static int first_of_four(int n, ...) {
    va_list list;
    va_start(list, n);
    four v = va_arg(list, four);
    va_end(list);
    return v[0] + 1000 * v[3];
}

int main(void) {
    two small = {1, 2};
    four large = {1, 2, 3, 4};
    assert(first_of_two(1, small) == 21);
    assert(first_of_four(1, large) == 4001);
    return 0;
}
