// Variable-length arrays inside their scope, also with a jump out of it.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int main(void) {
    int total = 0;
    for (int n = 1; n < 4; n++) {
        int a[n];
        for (int i = 0; i < n; i++)
            a[i] = i;
        if (n == 2)
            continue;
        int b[n + 1];
        b[n] = a[n - 1];
        total += b[n];
        if (n == 3)
            goto out;
    }
out:
    assert(total == 2);
    return 0;
}
