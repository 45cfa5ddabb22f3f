// What C fixes of the indicators of streams (7.21.5.3p7, 7.21.7.1p3, 7.21.10).
// property: unreach   truth: safe
// explore: unknown (inputs)   impact: safe   priori: unknown (imprecise)   staged: safe
#include <assert.h>
#include <stdio.h>

int main(void) {
    assert(!feof(stdin) && !ferror(stdin));
    if (getchar() == EOF) {
        int has_ended = feof(stdin) != 0;
        assert(has_ended || ferror(stdin));
        assert(has_ended == (feof(stdin) != 0));
        if (has_ended) assert(getchar() == EOF);
        clearerr(stdin);
        assert(!feof(stdin) && !ferror(stdin));
    }
    FILE *file = fopen("file", "r");
    if (file) assert(!feof(file));
}
