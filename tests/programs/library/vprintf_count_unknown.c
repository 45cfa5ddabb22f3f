// %n writes, which is not modelled, also where the format is in a va_list.
// property: memory   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   staged: unknown (unmodelled)
#include <stdarg.h>
#include <stdio.h>

void report(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

int main(void) {
    int count;
    report("abc%n", &count);
    return 0;
}
