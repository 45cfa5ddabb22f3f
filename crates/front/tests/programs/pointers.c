// Pointers: arithmetic, casts to integers and back, arrays of arrays, pointers to pointers, mixed-size access, alloca, VLAs.
// property: unreach   truth: safe
#include <alloca.h>
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int grid[3][4];
int values[] = { 1, 2, 3, 4, 5 };
int *middle = &values[2], *past = values + 5;
char text[] = "some text", *alias = text + 5;
const char *const words[] = { "one", "two", "three" };
struct node { int value; struct node *next; };
struct node third = { 3, 0 }, second = { 2, &third }, first = { 1, &second };
struct node loop = { 9, &loop };
uintptr_t address = (uintptr_t)&values[1];
extern int declared;
int declared = 12;
static int sum(int n, int a[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static void set(int **slot, int *to) { *slot = to; }
static int vla(int n) {
    int a[n], b[2][n];
    for (int i = 0; i < n; i++) { a[i] = i; b[0][i] = i * 2; b[1][i] = i * 3; }
    return sum(n, a) + b[1][n - 1] + (int)(sizeof(b) / sizeof(int));
}

int main(void) {
    for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) grid[i][j] = i * 10 + j;
    int (*row)[4] = &grid[1], *flat = &grid[0][0];
    assert((*row)[2] == 12 && row[1][3] == 23 && flat[4 * 2 + 1] == 21 && *(*(grid + 2) + 3) == 23);
    assert(*middle == 3 && past - values == 5 && past[-1] == 5 && middle[1] == 4 && middle > values);
    assert(strcmp(alias, "text") == 0 && words[2][1] == 'h' && strlen(words[0]) == 3);
    assert(first.next->next->value == 3 && first.next->next->next == NULL && loop.next->next->value == 9);
    assert(*(int *)address == 2 && *(int *)(address + sizeof(int)) == 3 && declared == 12);
    uintptr_t bits = (uintptr_t)&values[4];
    assert((int *)bits == &values[4] && bits - (uintptr_t)values == 16 && bits != 0);
    int *p = values, *q;
    set(&q, p + 3);
    assert(*q == 4 && q != p && q - p == 3 && &p != &q && p <= q);
    *p++ = 7;
    assert(values[0] == 7 && *p == 2 && p == &values[1]);
    unsigned raw = 0x11223344;
    unsigned char *bytes = (unsigned char *)&raw;
    bytes[1] = 0xaa;
    assert(raw == 0x1122aa44);
    short *halves = (short *)&raw;
    assert(halves[1] == 0x1122 && *(unsigned char *)(halves + 1) == 0x22);
    char buffer[16];
    *(int *)(buffer + 1) = 0x01020304;
    assert(buffer[1] == 4 && buffer[4] == 1);
    memset(buffer, 'z', sizeof buffer);
    memcpy(buffer + 2, "abc", 3);
    memmove(buffer + 3, buffer + 2, 3);
    assert(buffer[2] == 'a' && buffer[3] == 'a' && buffer[5] == 'c' && buffer[6] == 'z');
    assert(vla(4) == 6 + 9 + 8 && sum(5, values) == 21);
    int *local = alloca(3 * sizeof(int));
    local[2] = 5;
    assert(local[2] == 5);
    int *heap = malloc(4 * sizeof *heap), *zeros = calloc(3, sizeof *zeros);
    heap[3] = 8;
    heap = realloc(heap, 8 * sizeof *heap);
    assert(heap[3] == 8 && zeros[2] == 0);
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); n->value = i; n->next = list; list = n; }
    int total = 0;
    while (list) { struct node *n = list; total = total * 10 + n->value; list = n->next; free(n); }
    assert(total == 210);
    free(heap);
    free(zeros);
    free(NULL);
    void *pointers[2] = { &total, &list }, *copy[2];
    memcpy(copy, pointers, sizeof copy);
    assert(*(int *)copy[0] == 210 && copy[1] == &list);
    return 0;
}
