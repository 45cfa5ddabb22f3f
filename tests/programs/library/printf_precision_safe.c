// The precision of twelve lets printf read twelve characters, and there are as many.
// property: memory   truth: safe
// explore: safe   impact: safe   staged: safe
#include <stdio.h>

char text[12] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'};

int main(void) {
    printf("%.12s\n", text);
    return 0;
}
