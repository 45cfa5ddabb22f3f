// A newline ends what fgets reads; without one the text is as long as there is room.
// property: unreach   truth: unsafe
// explore: unsafe   priori: unsafe
#include <assert.h>
#include <stdio.h>

int main(void) {
    char text[3] = "zz";
    if (fgets(text, 3, stdin) == text) {
        assert(text[1] != '\n');
    }
    return 0;
}
