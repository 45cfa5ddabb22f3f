// What another locale does is not modelled.
// property: unreach   truth: safe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>
#include <locale.h>

int main(void) {
    setlocale(LC_ALL, "");
    assert(1 + 1 == 2);
    return 0;
}
