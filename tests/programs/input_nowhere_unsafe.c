// What is read is written through a null pointer.
// property: memory    truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <stdio.h>

int main(void) {
    int *nowhere = 0;
    return scanf("%d", nowhere);
}
