// property: memory   truth: unsafe
// explore: unsafe
// Where the ranges are depends on an input, and on one value of it they overlap.
#include <string.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static char text[16];

int main(void) {
    unsigned char at = __VERIFIER_nondet_uchar();
    if (at < 4 || at > 8) return 0;
    memcpy(text + at, text, 5);
    return 0;
}
