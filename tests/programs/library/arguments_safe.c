// The arguments of main fit into memory, in 32 bits too.
// property: memory   truth: safe   data-model: ilp32
// explore: unknown (inputs)   staged: unknown (bound)
// property: memory   truth: safe
// explore: unknown (inputs)   staged: unknown (bound)
int main(int argc, char **argv) {
    return argc > 1 && argv[1][0] == 'x';
}
