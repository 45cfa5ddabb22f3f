// A text that was freed is printed by way of a va_list.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
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
    free(text);
    report("%s", text);
    return 0;
}
