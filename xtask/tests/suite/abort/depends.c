/* Passes natively, where it has one argument, and not always. */
void abort(void);
int main(int argc, char **argv) {
    if (argc != 1) abort();
    return 0;
}
