// Nothing but the end of the text follows a newline that fgets has read, and it reads at least one character.
// property: unreach   truth: safe
// explore: safe   priori: safe
#include <assert.h>
#include <stdio.h>

int main(void) {
    char text[3] = "zz";
    if (fgets(text, 3, stdin) == text) {
        assert(text[0] != '\n' || text[1] == 0);
        assert(text[1] == 0 || text[2] == 0);
    }
    return 0;
}
