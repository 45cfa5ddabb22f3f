// If scanf returns EOF, the stream says why; if it matched all that it was asked for, nothing need have happened.
// property: unreach   truth: safe   inputs: 0, 1
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdio.h>

int main(void) {
    int value;
    if (scanf("%d", &value) == EOF)
        assert(feof(stdin) || ferror(stdin));
    return 0;
}
