// Old-style and missing declarations, variadic calls, weak and aliased functions, constructors, thread-local variables.
// property: unreach   truth: safe
#include <stdio.h>
#include <stdlib.h>

extern void reach_error();
#define check(c) do { if (!(c)) reach_error(); } while (0)

static int order;
__attribute__((constructor(200))) static void late(void) { order = order * 10 + 2; }
__attribute__((constructor(101))) static void early(void) { order = order * 10 + 1; }
__attribute__((weak)) int weak(void) { return 4; }
extern int absent(void) __attribute__((weak));
int original(int x) { return x + 1; }
int aliased(int x) __attribute__((alias("original")));
static _Thread_local int per_thread = 3;
__thread int counter;
int old_style(a, b) int a; char b; { return a + b; }
static inline int squared(int x) { return x * x; }
inline int plain_inline(int x) { return x + 2; }
static int unspecified();
static int unspecified(int a, int b) { return a - b; }
int implicit_int(void) { return 6; }
static void finish(void) { check(order == 99); }

int main(int argc, char **argv) {
    check(order == 12);
    check(weak() == 4 && absent == 0 && aliased(4) == 5);
    per_thread += 4;
    check(per_thread == 7 && ++counter == 1);
    check(old_style(3, 'a') == 100 && squared(5) == 25 && plain_inline(1) == 3);
    check(unspecified(5, 3) == 2 && implicit_int() == 6);
    check(undeclared(20) == 40);
    printf("%d %s %f\n", order, "text", 1.5);
    fprintf(stderr, "done\n");
    puts("x");
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("mfence" ::: "memory");
    int hidden = 5;
    __asm__("" : "+r"(hidden));
    check(hidden == 5);
    if (__builtin_expect(hidden == 6, 0)) abort();
    order = 99;
    atexit(finish);
    exit(0);
}

int undeclared(int x) { return 2 * x; }
