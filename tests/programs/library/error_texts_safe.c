// Error numbers have different texts.
// property: unreach   truth: safe
// explore: safe   impact: unknown (time)   priori: safe   staged: safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <string.h>

int main(void) {
    char *missing = strdup(strerror(ENOENT)), buffer[8];
    assert(strcmp(missing, strerror(EPERM)) != 0);
    assert(strcmp(missing, "No such file or directory") == 0);
    assert(strcmp(strerror_r(EINVAL, buffer, sizeof buffer), "Invalid argument") == 0);
    assert(strcmp(strsignal(9), "Killed") == 0);
    return 0;
}
