// `continue` leaves the body of an endless loop, too.
// property: memory     truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int *p;

int main(void) {
    int i = 0;
    while (1) {
        int x = 0;
        if (i == 2)
            *p = 1;
        p = &x;
        if (i++ < 2)
            continue;
        break;
    }
    return 0;
}
