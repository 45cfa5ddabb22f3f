//: byte
typedef unsigned char byte;

//: pair
struct pair { int first, second; };

//: wide
struct wide { long first, second; };

//: huge
struct huge { long first, second, third; };

//: argument
struct argument { int one, number; };

//: fields
struct fields { unsigned low : 3, high : 4; unsigned : 0; signed small : 3; unsigned wide : 20, wider : 20; };

//: view
union view { unsigned whole; byte bytes[4]; struct { unsigned short low, high; } half; };

//: OBSERVE
#define OBSERVE(x) (seen = seen * 7u + (unsigned)(x) + 1u)

//: ADD
#define ADD(place, by) do { (place) = ((place) + (by)) & 7; } while (0)

//: AROUND
#define AROUND(before, after, ...) do { before; DELAY(); __VA_ARGS__ DELAY(); after; } while (0)

//: LARGER
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

//: HELPERS
#define HELPERS(T) \
  static inline T add_##T(T a, T b) { return (T)((a + b) & 7); } \
  static inline __attribute__((always_inline)) T twist_##T(T a, T b) { \
    for (int i = 0; i < 2; i++) { T step = add_##T(a, b); a = step; } \
    return a; \
  } \
  static inline __attribute__((always_inline)) void bump_##T(T *at, T by) { by++; *at = (T)((*at + by) & 7); } \
  static inline __attribute__((always_inline)) T get_##T(const T *at) { const T *copy = at; return *copy; }

//: add_int twist_int bump_int get_int
HELPERS(int)

//: add_unsigned twist_unsigned bump_unsigned get_unsigned
HELPERS(unsigned)

//: add_short twist_short bump_short get_short
HELPERS(short)

//: add_byte twist_byte bump_byte get_byte
HELPERS(byte)

//: add_long twist_long bump_long get_long
HELPERS(long)

//: plus
static int plus(int a, int b) { return (a + b) & 7; }

//: times
static int times(int a, int b) { return (a * b + 1) & 7; }

//: operators
static int (*const operators[])(int, int) = { plus, times };

//: fold
static int fold(const struct pair *at) { return (at->first * 3 + at->second) & 7; }

//: swapped
static struct pair swapped(struct pair from) {
  struct pair to;
  to.first = from.second;
  to.second = from.first;
  return to;
}

//: sum
static int sum(int count, ...) {
  va_list list;
  int total = 0;
  va_start(list, count);
  while (count-- > 0) total += va_arg(list, int);
  va_end(list);
  return total;
}

//: mixed
static int mixed(const char *kinds, ...) {
  va_list list, again;
  int total = 0;
  va_start(list, kinds);
  va_copy(again, list);
  for (const char *kind = kinds; *kind; kind++) {
    if (*kind == 'l') total += (int)va_arg(list, long);
    else if (*kind == 'p') total += *va_arg(list, int *);
    else total += va_arg(list, int);
  }
  va_end(list);
  if (*kinds == 'i') total += va_arg(again, int);
  va_end(again);
  return total;
}

//: climb
static int climb(int depth, int from) {
  int here = from + depth;
  if (depth <= 0) return here;
  return climb(depth - 1, here & 7);
}

//: is_even is_odd
static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

//: halve
static inline __attribute__((always_inline)) int halve(int x, int *rounds) {
  while (x > 1) { x /= 2; ++*rounds; }
  return x;
}

//: scale
static inline __attribute__((always_inline)) int scale(int x) { x *= 2; { int y = x + 1; x = y; } return x; }

//: pair_of
static struct pair pair_of(int v) { struct pair made; made.first = v; made.second = v; return made; }

//: of_pair
static unsigned of_pair(struct pair p) { return (unsigned)(p.first * 8 + p.second); }

//: wide_of
static struct wide wide_of(int v) { struct wide made; made.first = v; made.second = v; return made; }

//: of_wide
static unsigned of_wide(struct wide p) { return (unsigned)(p.first * 8 + p.second); }

//: huge_of
static struct huge huge_of(int v) { struct huge made; made.first = v; made.second = v; made.third = v; return made; }

//: of_huge
static unsigned of_huge(struct huge p) { return (unsigned)(p.first * 64 + p.second * 8 + p.third); }

//: escape
static int *escape(int v) {
  int local = v;
  int *at = &local;
  return at;
}
