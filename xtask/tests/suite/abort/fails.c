/* Fails natively, so that it does not count. */
void abort(void);
int main(void) { abort(); }
