// The same after the writer has ended.
// property: race   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
// property: race   truth: safe   data-model: ilp32
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

char text[] = "abc";

void report(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

void *change(void *arg) {
    text[1] = 'x';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    pthread_join(thread, 0);
    report("%d %5.2f %lld %s\n", 1, 2.5, 3ll, text);
    return 0;
}
