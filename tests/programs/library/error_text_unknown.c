// Numbers that are no errors have texts that are not modelled.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <string.h>

int main(void) {
    assert(strerror(100000)[0] == 'U');
    return 0;
}
