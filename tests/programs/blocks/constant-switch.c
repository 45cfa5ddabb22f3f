// The end of a block inside a switch on a constant, of which clang emits one case only.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int main(void) {
    int *p;
    switch (sizeof(int)) {
    case 4: {
        int y = 2;
        p = &y;
        break;
    }
    default: __builtin_trap();
    }
    return *p;
}
