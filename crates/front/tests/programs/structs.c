// Structures, unions, bit-fields, arrays, copies, parameters and results by value.
// property: unreach   truth: safe
#include <assert.h>
#include <stddef.h>
#include <string.h>

struct point { int x, y; };
struct big { char name[13]; long values[5]; struct point corner; };
struct small { float a, b; };
struct mixed { char c; double d; short s; };
struct flags { unsigned a : 3, b : 7, c : 1; int d : 5; unsigned long long e : 40; };
union word { unsigned u; unsigned char bytes[4]; float f; };
struct nested { union { int i; char c[8]; }; struct point points[3]; } table[2] = {
    { .i = 7, .points = { { 1, 2 }, { 3, 4 } } }, { .c = "heddle", .points = { [2] = { 8, 9 } } } };

static struct point swap(struct point p) { struct point r = { p.y, p.x }; p.x = 99; return r; }
static struct big grow(struct big b, long add) { for (int i = 0; i < 5; i++) b.values[i] += add; b.corner = swap(b.corner); return b; }
static struct small halves(struct small s) { s.a /= 2; s.b /= 2; return s; }
static struct mixed mix(char c, double d, short s) { struct mixed m = { c, d, s }; return m; }

int main(void) {
    struct point p = { 1, 2 }, q = swap(p);
    assert(q.x == 2 && q.y == 1 && p.x == 1);
    struct big b = { "a name", { 1, 2, 3, 4, 5 }, { 10, 20 } }, c = grow(b, 100);
    assert(b.values[0] == 1 && c.values[0] == 101 && c.values[4] == 105 && c.corner.x == 20);
    assert(strcmp(c.name, "a name") == 0 && b.corner.x == 10);
    struct small s = halves((struct small){ 3, 5 });
    assert(s.a == 1.5f && s.b == 2.5f);
    struct mixed m = mix('x', 0.25, -7);
    assert(m.c == 'x' && m.d == 0.25 && m.s == -7);
    struct flags f = { 5, 100, 1, -3, 0xabcdef1234ull };
    f.b += 27;
    f.e++;
    assert(f.a == 5 && f.b == 127 && f.c == 1 && f.d == -3 && f.e == 0xabcdef1235ull);
    f.b++;
    assert(f.b == 0 && f.a == 5 && f.c == 1);
    union word w = { 0x01020304 };
    assert(w.bytes[0] == 4 && w.bytes[3] == 1);
    w.f = 1.0f;
    assert(w.u == 0x3f800000);
    w.bytes[3] = 0xbf;
    assert(w.f < 0);
    assert(table[0].i == 7 && table[0].points[1].y == 4 && table[0].points[2].x == 0);
    assert(table[1].c[0] == 'h' && table[1].c[6] == 0 && table[1].points[2].y == 9);
    struct nested copy = table[1];
    table[1].points[2].y = 0;
    assert(copy.points[2].y == 9);
    assert(offsetof(struct mixed, s) == sizeof(struct mixed) - (sizeof(long) == 8 ? 8 : 4));
    struct point *last = &table[0].points[2], *first = table[0].points;
    assert(last - first == 2 && first < last && (char *)last - (char *)first == 16);
    return 0;
}
