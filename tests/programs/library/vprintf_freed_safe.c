// A text is printed by way of a va_list before it is freed.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void report(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

int main(void) {
    char *text = calloc(4, 1);
    report("%5d%% %c %-*s %hhd %zu %p %g\n", 1, 'c', 6, text, 1, sizeof text, (void *)text, 0.5);
    free(text);
    return 0;
}
