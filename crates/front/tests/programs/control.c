// Loops, goto, switch with fall-through and ranges, conditional operators, computed goto, recursion, function pointers.
// property: unreach   truth: safe
#include <assert.h>
#include <stdlib.h>

static int classify(int n) {
    int score = 0;
    switch (n) {
    case 0: score += 1;
    case 1: score += 10; break;
    case 5 ... 9: score = 59; break;
    case -3: return -1;
    case 1000000: { int k = 3; while (k--) { if (k == 1) continue; score += k; } break; }
    default: score = -2;
    }
    return score;
}

static long long wide(long long n) {
    switch (n) {
    case 0x100000000ll: return 1;
    case 0: return 2;
    default: return 3;
    }
}

static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*const table[])(int, int) = { add, sub };
static int apply(int (*f)(int, int), int a, int b) { return f(a, b); }

static int interpret(const unsigned char *code) {
    static void *labels[] = { &&halt, &&inc, &&dbl };
    int acc = 0;
    goto *labels[*code++];
inc:
    acc++;
    goto *labels[*code++];
dbl:
    acc *= 2;
    goto *labels[*code++];
halt:
    return acc;
}

static int calls;
static int count(int value) { calls++; return value; }

int main(void) {
    assert(classify(0) == 11 && classify(1) == 10 && classify(7) == 59 && classify(10) == -2);
    assert(classify(-3) == -1 && classify(1000000) == 2);
    assert(wide(0x100000000ll) == 1 && wide(0) == 2 && wide(1) == 3);
    assert(ackermann(1, 3) == 5);
    assert(apply(table[0], 5, 3) == 8 && table[1](5, 3) == 2 && (*add)(1, 1) == 2);
    assert(interpret((const unsigned char[]){ 1, 1, 2, 1, 0 }) == 5);
    assert((count(0) && count(1)) == 0 && calls == 1);
    assert((count(1) || count(1)) == 1 && calls == 2);
    assert((count(1) && count(2) && !count(0)) && calls == 5);
    int a = 1, b = 2, i, n = 0;
    for (i = 0; i < 5; i++) { int t = a; a = b; b = t; }
    assert(a == 2 && b == 1);
    do { if (n == 3) goto out; n++; } while (1);
out:
    assert(n == 3);
    int x = 5;
    x = x++ + ++n;
    assert(x == 9 && n == 4);
    int y = ({ int z = 4; z * z; });
    assert(y == 16 && (y > 3 ? y < 20 ? 1 : 2 : 3) == 1);
    unsigned k = 3, sum = 0;
    while (k --> 0) for (unsigned j = 0; ; j++) { if (j > k) break; sum += j; }
    assert(sum == 4);
    return 0;
}
