// The precision lets printf read one character more than there are.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <stdio.h>

char text[12] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'};

int main(void) {
    printf("%.13s\n", text);
    return 0;
}
