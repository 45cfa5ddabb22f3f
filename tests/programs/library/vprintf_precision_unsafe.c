// No more of a text is read than the precision says.
// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
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
    report("%.*s %f\n", 2, text, 1.0);
    pthread_join(thread, 0);
    return 0;
}
