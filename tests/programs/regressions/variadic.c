// Variable arguments come in the order and with the types that they were given in, in every call anew.
// property: unreach    truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   staged: safe
#include <assert.h>
#include <stdarg.h>

static int nothing(int n, ...) { return n; }

static long long from_list(const char *kinds, va_list list) {
    long long sum = 0;
    for (; *kinds; kinds++) {
        sum *= 10;
        switch (*kinds) {
        case 'i': sum += va_arg(list, int); break;
        case 'l': sum += va_arg(list, long); break;
        case 'q': sum += va_arg(list, long long); break;
        case 'd': sum += (long long)va_arg(list, double); break;
        case 'p': sum += *va_arg(list, int *); break;
        case 'f': sum += va_arg(list, int (*)(int, ...))(9); break;
        }
    }
    return sum;
}

static long long sum(const char *kinds, ...) {
    va_list list, again;
    va_start(list, kinds);
    va_copy(again, list);
    long long first = from_list(kinds, list);
    va_end(list);
    long long second = from_list(kinds, again);
    va_end(again);
    va_start(list, kinds);
    long long third = from_list(kinds, list);
    va_end(list);
    assert(first == second && second == third);
    return first;
}

static int depth(int n, ...) {
    va_list list;
    va_start(list, n);
    int mine = va_arg(list, int);
    int below = n > 0 ? depth(n - 1, mine + 1) : 0;
    va_end(list);
    return mine + 10 * below;
}

static void skips(int n, ...) {
    va_list list;
    va_start(list, n);
    (void)va_arg(list, double);
    assert(va_arg(list, int) == n);
    va_end(list);
}

int main(void) {
    int five = 5;
    long long (*indirect)(const char *, ...) = sum;
    char small = -3;
    float half = 2.5f;
    assert(sum("") == 0);
    assert(sum("i", -1) == -1);
    assert(sum("ilqdpf", 1, 2L, 3LL, 4.0, &five, nothing) == 123459);
    assert(sum("qiq", 1LL << 40, 0, 7LL) == (1LL << 40) * 100 + 7);
    assert(sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 1) == 1234567891LL);
    assert(sum("ddddddddddi", 1., 2., 3., 4., 5., 6., 7., 8., 9., 0., 3) == 12345678903LL);
    assert(indirect("id", small, half) == -28);
    assert(depth(2, 1) == 321);
    skips(3, 1.0, 3);
    assert(nothing(4, "unused", 1.0) == 4);
    return 0;
}
