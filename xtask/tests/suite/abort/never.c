/* No number is larger than the largest: of the two ways to go on, one is certain. */
void abort(void);
int main(void) {
    unsigned long value = 1;
    if (value > ~0ul) abort();
    return 0;
}
