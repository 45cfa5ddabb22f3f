// fread may write four bytes where there are three.
// property: memory   truth: unsafe
// explore: unsafe
#include <stdio.h>

char buffer[3];

int main(void) {
    fread(buffer, 2, 2, stdin);
    return 0;
}
