// The result of __builtin_clz is undefined for 0.
// property: unreach    truth: unsafe
// explore: unknown (unmodelled)   impact: unknown (unmodelled)   priori: unknown (unmodelled)   staged: unknown (unmodelled)
#include <assert.h>

int k;

int main(void) { assert(__builtin_clz(k) == 32); }
