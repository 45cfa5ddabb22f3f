/* A signalling not-a-number that is a constant keeps its bits. */
#include <string.h>
void abort(void);
int main(void) {
    float number = __builtin_nansf("1");
    unsigned bits;
    memcpy(&bits, &number, sizeof bits);
    if (bits != 0x7f800001u) abort();
    return 0;
}
