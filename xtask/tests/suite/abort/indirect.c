/* Calls the function that fails by a pointer, never. */
#include <stdlib.h>
void (*handler)(void) = abort;
int main(void) {
    if (sizeof(long) < sizeof(int)) handler();
    exit(3 - 3);
}
