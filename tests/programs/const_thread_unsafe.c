// A variable of each thread that is const is written.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
static _Thread_local const int limit = 1;

int main(void) {
    *(int *)&limit = 2;
    return 0;
}
