// Functions with variable arguments: all kinds of types, lists passed on and copied, calls through pointers and in loops.
// property: unreach   truth: safe
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct small { int a, b; };
struct large { long v[5]; };

static long sum(int count, ...) {
    va_list list;
    long total = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) total += va_arg(list, int);
    va_end(list);
    return total;
}

static long vmixed(const char *kinds, va_list list) {
    long total = 0;
    va_list copy;
    va_copy(copy, list);
    for (const char *k = kinds; *k; k++) {
        switch (*k) {
        case 'i': total += va_arg(copy, int); break;
        case 'l': total += va_arg(copy, long); break;
        case 'L': total += va_arg(copy, long long); break;
        case 'd': total += (long)(va_arg(copy, double) * 2); break;
        case 'p': total += *va_arg(copy, int *); break;
        case 's': { struct small s = va_arg(copy, struct small); total += s.a * 10 + s.b; break; }
        case 'b': { struct large b = va_arg(copy, struct large); total += b.v[4] - b.v[0]; break; }
        }
    }
    va_end(copy);
    return total;
}

static long mixed(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    long total = vmixed(kinds, list);
    va_end(list);
    return total;
}

static void report(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

int main(void) {
    assert(sum(0) == 0 && sum(1, 7) == 7 && sum(8, 1, 2, 3, 4, 5, 6, 7, 8) == 36);
    int cell = 5;
    struct small s = { 3, 4 };
    struct large b = { { 1, 0, 0, 0, 9 } };
    assert(mixed("ildp", 1, 20l, 1.5, &cell) == 29);
    assert(mixed("Lisbsi", 1ll << 32 >> 30, 2, s, b, s, -6) == 4 + 2 + 34 + 8 + 34 - 6);
    assert(mixed("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.) == 110);
    long (*pointer)(int, ...) = sum;
    long total = 0;
    for (int i = 0; i < 3; i++) total += pointer(2, i, 1);
    assert(total == 6);
    report("%d %s\n", 1, "text");
    return 0;
}
