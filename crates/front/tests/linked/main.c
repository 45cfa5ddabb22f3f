// One program of three files: a static function of each, a shared variable, and a function from LLVM's text form.
int variable;
int shared(int);
int from_llvm(int);

static int hidden(int x) { return x + 1; }

int main(void) {
    variable = hidden(1);
    return shared(2) + from_llvm(3);
}
