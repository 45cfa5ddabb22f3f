// The first character is read, the second is not.
// property: race   truth: safe
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
    report("%f %.*s\n", 1.0, 1, text);
    pthread_join(thread, 0);
    return 0;
}
