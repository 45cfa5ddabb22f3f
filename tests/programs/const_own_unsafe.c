// A text that is const is written through a pointer, in the line of its declaration.
// property: memory   truth: unsafe
// explore: unsafe   impact: unsafe   staged: unsafe
int main(void) {
    const char text[] = "hello"; char *first = (char *)text; first[0] = 'j';
    return text[0];
}
