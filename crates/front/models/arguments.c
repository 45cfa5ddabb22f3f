/* Models the arguments of main, for programs that look at them: any number of strings, each any text of any length. */
#include "heddle.h"

static char *some_text(void) {
    size_t length = __VERIFIER_nondet_ulong();
    __heddle_assume((ssize_t)length >= 0 && length + 1 != 0);
    char *text = __heddle_alloc(length + 1, 1, 0);
    text[length] = 0;
    return text;
}

char **__heddle_arguments(int count) {
    /* They fit into memory, null pointer included. */
    __heddle_assume((size_t)count < __PTRDIFF_MAX__ / sizeof(char *));
    char **arguments = __heddle_alloc(((size_t)count + 1) * sizeof *arguments, sizeof *arguments, 0);
    for (int i = 0; i < count; i++) arguments[i] = some_text();
    arguments[count] = NULL;
    return arguments;
}
