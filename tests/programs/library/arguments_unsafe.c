// There may be no first argument.
// property: memory   truth: unsafe   data-model: ilp32
// explore: unsafe   staged: unsafe
// property: memory   truth: unsafe
// explore: unsafe   staged: unsafe
int main(int argc, char **argv) {
    (void)argc;
    return argv[1][0] == 'x';
}
