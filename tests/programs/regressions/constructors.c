// Constructors run before main, those with the lowest number first and those without one last; destructors after it, the other way round.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>

int at;

__attribute__((constructor)) static void last(void) { assert(at++ == 2); }
__attribute__((constructor(300))) static void middle(void) { assert(at++ == 1); }
__attribute__((constructor(200))) static void first(void) { assert(at++ == 0); }
__attribute__((destructor(200))) static void end(void) { assert(at == 5); }
__attribute__((destructor)) static void before_end(void) { assert(at++ == 4); }

int main(void) {
    assert(at++ == 3);
    return 0;
}
