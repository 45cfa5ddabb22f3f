// Static objects begin with what their initialisers say, whatever these are made of.
// property: unreach    truth: safe
// explore: safe   priori: safe   staged: safe
// property: unreach    truth: safe   data-model: ilp32
// explore: safe   priori: safe   staged: safe
// property: memory     truth: safe
// explore: safe   staged: safe
#include <assert.h>
#include <stddef.h>
#include <string.h>

struct inner {
    char c;
    short s[3];
};
struct node {
    struct node *next;
    int value;
};
struct __attribute__((packed)) tight {
    char c;
    int i;
    long long l;
};
struct bits {
    unsigned a : 3, b : 7;
    int c : 9;
    unsigned long long d : 40;
};
struct tail {
    int count;
    short rest[];
};
union either {
    int i;
    unsigned char bytes[12];
};
typedef int quad __attribute__((vector_size(16)));

static int f(void) { return 7; }
static int g(void) { return 8; }

struct inner deep[4][2] = {[2] = {{1, {2, 3, 4}}, {5, {6, 7, 8}}}};
short *into = &deep[2][1].s[1];
char *back = (char *)&deep[2][1] - 2;
short *past = &deep[3][1].s[3];
struct node one, two = {&one, 2}, one = {&two, 1};
struct tight tight = {1, 0x02030405, 0x1122334455667788};
struct bits bits = {5, 100, -3, 0x123456789a};
struct tail tail = {3, {10, 20, 30}};
union either either = {.bytes = {1, 2, 3, 4, 5}};
quad vector = {1, -2, 3, -4};
size_t number = (size_t)&deep[1];
void *fixed = (void *)0x1234;
_Bool yes = 1;
float small = 1.5f;
double large = -2.25;
long double extended = 3;
char text[6] = "a\0b", whole[3] = "xyz";
const char *middle = "abcdef" + 2;
int (*functions[4])(void) = {f, NULL, g};
int sparse[10] = {[3] = 30, 40, [8] = 80};
wchar_t wide[] = L"a\u1234";
static const char *const names[] = {"zero", "one", NULL};
signed char negative = -1;
long long least = -9223372036854775807 - 1;
struct {
    char c;
    void *pointer;
    char d;
} padded = {1, &padded.d, 2};
#ifdef __SIZEOF_INT128__
__int128 huge = ((__int128)5 << 100) + 6;
#endif

int main(void) {
    assert(*into == 7 && into[-1] == 6 && deep[2][0].s[2] == 4 && deep[1][1].c == 0 && deep[3][0].s[0] == 0);
    assert(back + 2 == (char *)&deep[2][1] && past == deep[3][1].s + 3);
    assert(one.next == &two && two.next->next == &two && one.next->value == 2);
    assert(tight.c == 1 && tight.i == 0x02030405 && tight.l == 0x1122334455667788);
    assert(bits.a == 5 && bits.b == 100 && bits.c == -3 && bits.d == 0x123456789a);
    assert(tail.count == 3 && tail.rest[0] == 10 && tail.rest[2] == 30);
    assert(either.i == 0x04030201 && either.bytes[4] == 5 && either.bytes[11] == 0);
    assert(vector[0] == 1 && vector[1] == -2 && vector[3] == -4);
    assert(number == (size_t)&deep[1] && (size_t)fixed == 0x1234);
    assert(yes && small == 1.5f && large == -2.25);
    assert(((unsigned char *)&extended)[9] == 0x40 && ((unsigned char *)&extended)[7] == 0xc0);
    assert(text[0] == 'a' && text[1] == 0 && text[2] == 'b' && text[5] == 0 && whole[2] == 'z');
    assert(strcmp(middle, "cdef") == 0 && middle[-1] == 'b');
    assert(functions[0]() == 7 && functions[1] == NULL && functions[2]() == 8 && functions[3] == NULL);
    assert(sparse[2] == 0 && sparse[3] == 30 && sparse[4] == 40 && sparse[8] == 80 && sparse[9] == 0);
    assert(wide[0] == 'a' && wide[1] == 0x1234 && wide[2] == 0);
    assert(names[1][2] == 'e' && names[2] == NULL && negative == -1 && least < -9223372036854775807);
    assert(*(char *)padded.pointer == 2 && padded.c == 1);
#ifdef __SIZEOF_INT128__
    assert(huge >> 100 == 5 && (int)huge == 6);
#endif
    return 0;
}
