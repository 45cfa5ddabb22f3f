// A destructor fails after main.
// property: unreach    truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <assert.h>

int at;

__attribute__((constructor)) static void begin(void) { at = 1; }
__attribute__((destructor)) static void end(void) { assert(at == 1); }

int main(void) {
    at = 2;
    return 0;
}
