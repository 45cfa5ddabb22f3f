/* Passes: what it tests is right. */
void abort(void);
int twice(int x) { return x + x; }
int main(void) {
    if (twice(21) != 42) abort();
    return 0;
}
