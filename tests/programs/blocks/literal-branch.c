// The literal of one round of a loop is gone in the next, also without braces anywhere.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int *kept;

int main(void) {
    for (int i = 0; i < 2; i++)
        if (i == 0)
            kept = &(int){5};
        else
            *kept = 3;
    return 0;
}
