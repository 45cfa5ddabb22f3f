// The functions of <string.h> on short texts.
// property: unreach    truth: safe
// explore: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   priori: safe   staged: safe
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char text[16] = "ab,c", copy[16], *rest;
    assert(strlen(text) == 4 && strnlen(text, 2) == 2);
    assert(strcmp(strcpy(copy, text), "ab,c") == 0 && strcmp(text, "ab") > 0 && strncmp(text, "abX", 2) == 0);
    assert(strchr(text, 'c') == text + 3 && strrchr(text, 'x') == 0 && strchr(text, 0) == text + 4);
    assert(strstr(text, "b,") == text + 1 && strstr(text, "bc") == 0);
    assert(strspn(text, "ba") == 2 && strcspn(text, ",") == 2);
    assert(strcmp(strcat(copy, "d"), "ab,cd") == 0);
    assert(strcmp(strtok_r(text, ",", &rest), "ab") == 0 && strcmp(strtok_r(0, ",", &rest), "c") == 0);
    assert(strtok_r(0, ",", &rest) == 0);
    strncpy(copy, "xyz", 6);
    assert(copy[2] == 'z' && copy[3] == 0 && copy[5] == 0);
    memset(copy, 'q', 3);
    memmove(copy + 1, copy, 4);
    assert(memcmp(copy, "qqqq", 4) == 0 && memchr(copy, 0, 16) == copy + 4);
    char *twin = strdup("twin");
    assert(strcmp(twin, "twin") == 0 && strcasecmp(twin, "TWIN") == 0);
    free(twin);
    return 0;
}
