// property: unreach   truth: safe
// explore: safe   priori: safe   staged: safe
// One thread alone may go on where it stopped.
#include <assert.h>
#include <string.h>

int main(void) {
    char text[] = "a,b";
    assert(strcmp(strtok(text, ","), "a") == 0);
    assert(strcmp(strtok(0, ","), "b") == 0);
    assert(strtok(0, ",") == 0);
    return 0;
}
