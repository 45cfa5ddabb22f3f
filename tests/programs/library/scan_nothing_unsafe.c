// A conversion that matches a word closes it with a 0.
// property: unreach   truth: unsafe
// explore: unsafe   impact: unknown (time)   priori: unsafe   staged: unsafe
#include <assert.h>
#include <stdio.h>

int main(void) {
    char word[8] = "zz";
    sscanf("a", "%3s", word);
    assert(word[1] == 'z');
    return 0;
}
