// A parameter that is const is changed in one step.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
static int next(const int limit) { return __sync_add_and_fetch((int *)&limit, 1); }

int main(void) { return next(1); }
