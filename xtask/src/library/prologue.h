/* What the tests of library functions share. Natively (HEDDLE_NATIVE) observations are printed; for Heddle they are compared
 * with what was printed. Random values come from the seed alone and are the same on both sides. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_NATIVE
#include <stdio.h>
static void observe(long long value) { printf("%lld\n", value); }
#define INT(e) observe((long long)(e))
#define HIT ((void)0)
#else
#ifdef __cplusplus
extern "C"
#endif
void reach_error(void);
static const long long *expected;
static int observed;
#define INT(e)                                                                                                         \
    do {                                                                                                               \
        if ((long long)(e) != expected[observed]) reach_error();                                                       \
        observed++;                                                                                                    \
    } while (0)
#define HIT reach_error()
#endif

static int sign_of(long long value) { return (value > 0) - (value < 0); }
static long long bits_of(double value) {
    union {
        double value;
        long long bits;
    } both;
    both.value = value;
    /* Which of the values that are not a number it is, is not said by the standard. */
    return value != value ? -1 : both.bits;
}

#define SIGN(e) INT(sign_of(e))
#define TRUTH(e) INT((e) ? 1 : 0)
#define REAL(e) INT(bits_of(e))
#define BYTES(at, count)                                                                                               \
    for (int byte_ = 0; byte_ < (int)(count); byte_++) INT(((const unsigned char *)(at))[byte_])
#define TEXT(at)                                                                                                       \
    for (const char *char_ = (at);; char_++) {                                                                         \
        INT(*char_);                                                                                                   \
        if (*char_ == 0) break;                                                                                        \
    }
/* How far a pointer is from another one, which is how results that are pointers are compared. */
#define PLACE(at, from)                                                                                                \
    do {                                                                                                               \
        const char *place_ = (const char *)(at);                                                                       \
        INT(place_ ? place_ - (const char *)(from) : -1);                                                              \
    } while (0)
#define ERROR(call) (errno = 0, (void)(call), errno)

#define READ(place) ((void)*(volatile char *)&(place))
#define WRITE(place) (*(volatile char *)&(place) = 1)

/* Random cases. */
#define EACH for (int each_ = 0; each_ < COUNT; each_++)
static unsigned random_state;
static unsigned draw(unsigned below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}
static long long draw_wide(void) {
    unsigned long long value = 0;
    for (int i = 0; i < 4; i++) value = value << 16 | draw(65536);
    return (long long)(value >> draw(64));
}
/* A text of fewer than `size` of the letters, behind which the buffer keeps what it had. */
static char *draw_text(char *to, unsigned size, const char *letters) {
    unsigned count = 0, length = draw(size);
    while (letters[count] != 0) count++;
    for (unsigned i = 0; i < length; i++) to[i] = letters[draw(count)];
    to[length] = 0;
    return to;
}
static void fill(void *to, int value, unsigned count) {
    for (unsigned i = 0; i < count; i++) ((char *)to)[i] = (char)value;
}

/* What threads share. */
static int x, y;
/* A flag that orders nothing: to see what a call orders by itself. */
static int flag;
#define SET __atomic_store_n(&flag, 1, __ATOMIC_RELAXED)
#define IS_SET __atomic_load_n(&flag, __ATOMIC_RELAXED)
