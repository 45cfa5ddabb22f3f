// The literal of a case's block is gone after the block, however the block was entered.
// property: memory   truth: unsafe
// explore: unsafe   impact: unknown (undefined)
struct pair { int first, second; };

int main(int argc, char **argv) {
    struct pair *kept = 0;
    switch (argc) {
    case 1:
        argc = 2; /* falls through */
    case 2: {
        kept = &(struct pair){ 1, argc };
    }
    }
    if (kept)
        kept->first = 2;
    return 0;
}
