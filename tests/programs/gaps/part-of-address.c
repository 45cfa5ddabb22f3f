// Some bytes of an address depend on where the object lies, which is not known.
// property: unreach   truth: unsafe
// explore: unknown (addresses)   priori: unknown (imprecise)   staged: unknown (addresses)
#include <assert.h>
#include <string.h>

int target[64];

int main(void) {
    int *pointer = &target[1];
    unsigned char bytes[sizeof pointer];
    memcpy(bytes, &pointer, sizeof pointer);
    assert(bytes[1] != 42);
    return 0;
}
