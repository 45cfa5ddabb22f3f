// A conversion that matches nothing writes nothing.
// property: unreach   truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <stdio.h>

int main(void) {
    char word[8] = "zz", character = 'c';
    int number = 7;
    assert(sscanf("", "%3s", word) == EOF && word[0] == 'z' && word[1] == 'z');
    assert(sscanf("  ", "%3s", word) == EOF && word[0] == 'z');
    assert(sscanf("", "%c", &character) == EOF && character == 'c');
    assert(sscanf("x", "%d", &number) == 0 && number == 7);
    assert(sscanf("x 5 ab", "%c %d %3s", &character, &number, word) == 3 && character == 'x' && number == 5 && word[2] == 0);
    return 0;
}
