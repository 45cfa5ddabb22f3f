// The same of functions that read more than a character, and of output.
// property: unreach   truth: safe
// explore: unknown (inputs)
#include <assert.h>
#include <stdio.h>

int main(void) {
    char text[3];
    int number;
    if (scanf("%d", &number) == EOF) assert(feof(stdin) || ferror(stdin));
    clearerr(stdin);
    if (!fgets(text, 3, stdin)) assert(feof(stdin) || ferror(stdin));
    clearerr(stdin);
    if (fread(text, 1, 2, stdin) < 2) assert(feof(stdin) || ferror(stdin));
    if (fputc('a', stderr) == EOF) assert(ferror(stderr));
}
