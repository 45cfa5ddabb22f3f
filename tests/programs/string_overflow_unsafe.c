// A text that does not fit.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
#include <string.h>

int main(void) {
    char small[4];
    strcpy(small, "four");
    return 0;
}
