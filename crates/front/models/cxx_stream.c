/* Models output to C++ streams, which has no effect, and input of numbers, which are arbitrary.
 *
 * The standard streams are objects of libstdc++'s layout: a pointer into a table with the offset of the common
 * base class, and that base, whose formatting fields and error state the inline functions of the headers use.
 * Output may fail nondeterministically in programs that read the state of a stream; texts that it prints are
 * read. Other streams (string streams, files) are unmodelled.
 */
#include "heddle.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

struct base {
    void *vtable;
    ssize_t precision;
    ssize_t width;
    int flags;
    int exceptions;
    int state;
    char rest[sizeof(void *) == 8 ? 264 - 36 : 136 - 24];
};

struct output {
    const ssize_t *table;
    struct base base;
};

struct input {
    const ssize_t *table;
    ssize_t count;
    struct base base;
};

/* The offset of the base class, then two words that are not used; a stream points behind them. */
static const ssize_t output_table[3] = {__builtin_offsetof(struct output, base), 0, 0};
static const ssize_t input_table[3] = {__builtin_offsetof(struct input, base), 0, 0};

enum { DECIMAL_AND_SKIP_SPACE = 0x1002, FAILED = 4, ENDED = 2, BAD = 1 };

struct output _ZSt4cout = {.table = output_table + 3, .base = {.precision = 6, .flags = DECIMAL_AND_SKIP_SPACE}};
struct output _ZSt4cerr = {.table = output_table + 3, .base = {.precision = 6, .flags = DECIMAL_AND_SKIP_SPACE}};
struct output _ZSt4clog = {.table = output_table + 3, .base = {.precision = 6, .flags = DECIMAL_AND_SKIP_SPACE}};
struct input _ZSt3cin = {.table = input_table + 3, .base = {.precision = 6, .flags = DECIMAL_AND_SKIP_SPACE}};

/* std::ios_base::Init */
void _ZNSt8ios_base4InitC1Ev(void *object) {}

void _ZNSt8ios_base4InitD1Ev(void *object) {}

/* std::ios_base::sync_with_stdio(bool) */
_Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool is_synchronised) { return 1; }

/* Where the common base class of a stream is. */
ALWAYS struct base *base_of(void *stream) { return (struct base *)((char *)stream + (*(const ssize_t **)stream)[-3]); }

/* The functions of a standard stream for input and output do not race with each other, so they access its state atomically. */
ALWAYS int state_of(const struct base *base) { return __atomic_load_n(&base->state, __ATOMIC_RELAXED); }

/* No read-modify-write, as in libstdc++: it need not order anything. */
ALWAYS void add_state(struct base *base, int state) { __atomic_store_n(&base->state, state_of(base) | state, __ATOMIC_RELAXED); }

/* The standard streams print through those of C, whose indicators record failures too. */
extern void *stdout, *stderr;

void __heddle_through_stdio(const void *stream) {}

void __heddle_through_stdio__indicated(const void *stream) {
    if (stream == &_ZSt4cout) {
        __heddle_output_may_fail(stdout);
    } else if (stream == &_ZSt4cerr || stream == &_ZSt4clog) {
        __heddle_output_may_fail(stderr);
    }
}

/* What output does to the state of its stream. */
void __heddle_after_output(void *stream) { __heddle_through_stdio(stream); }

void __heddle_after_output__looked_at(void *stream) {
    struct base *base = base_of(stream);
    __heddle_through_stdio(stream);
    if (!__heddle_choose(2)) return;
    add_state(base, state_of(base) != 0 ? FAILED : BAD);
}

/* Output of what is passed by value: gives the stream back. The models leave the other arguments out. */
#define OUTPUT(name)                                                                                                   \
    void *name(void *stream) {                                                                                         \
        __heddle_after_output(stream);                                                                                 \
        return stream;                                                                                                 \
    }

/* Output of a text, of a number of characters, and of a std::string, which begins with a pointer and a length: they are read. */
#define OUTPUT_TEXT(name)                                                                                              \
    void *name(void *stream, const char *text) {                                                                       \
        if (text == NULL) __heddle_unmodelled("output of a null pointer as a text");                                   \
        __heddle_read_text(text, (size_t)-1);                                                                          \
        __heddle_after_output(stream);                                                                                 \
        return stream;                                                                                                 \
    }                                                                                                                  \
    void *name##__read(void *stream, const char *text) {                                                               \
        __heddle_after_output(stream);                                                                                 \
        return stream;                                                                                                 \
    }

#define OUTPUT_CHARACTERS(name)                                                                                        \
    void *name(void *stream, const char *text, ssize_t count) {                                                        \
        if (count > 0) __heddle_read_bytes(text, (size_t)count);                                                       \
        __heddle_after_output(stream);                                                                                 \
        return stream;                                                                                                 \
    }

#define OUTPUT_STRING(name)                                                                                            \
    void *name(void *stream, const struct string *string) {                                                            \
        __heddle_read_bytes(string->text, string->length);                                                             \
        __heddle_after_output(stream);                                                                                 \
        return stream;                                                                                                 \
    }

struct string {
    const char *text;
    size_t length;
};

OUTPUT(_ZNSolsEb)
OUTPUT(_ZNSolsEs)
OUTPUT(_ZNSolsEt)
OUTPUT(_ZNSolsEi)
OUTPUT(_ZNSolsEj)
OUTPUT(_ZNSolsEl)
OUTPUT(_ZNSolsEm)
OUTPUT(_ZNSolsEx)
OUTPUT(_ZNSolsEy)
OUTPUT(_ZNSolsEf)
OUTPUT(_ZNSolsEd)
OUTPUT(_ZNSolsEe)
OUTPUT(_ZNSolsEPKv)
OUTPUT(_ZNSolsEDn)
OUTPUT(_ZNSo3putEc)
OUTPUT(_ZNSo5flushEv)
OUTPUT_CHARACTERS(_ZNSo5writeEPKcl)
OUTPUT_CHARACTERS(_ZNSo5writeEPKci)
OUTPUT(_ZNSo9_M_insertIbEERSoT_)
OUTPUT(_ZNSo9_M_insertIlEERSoT_)
OUTPUT(_ZNSo9_M_insertImEERSoT_)
OUTPUT(_ZNSo9_M_insertIxEERSoT_)
OUTPUT(_ZNSo9_M_insertIyEERSoT_)
OUTPUT(_ZNSo9_M_insertIdEERSoT_)
OUTPUT(_ZNSo9_M_insertIeEERSoT_)
OUTPUT(_ZNSo9_M_insertIPKvEERSoT_)
/* std::operator<< for characters, texts and std::string; std::endl, std::flush, std::ends */
OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c)
OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a)
OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h)
OUTPUT_TEXT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc)
OUTPUT_TEXT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKa)
OUTPUT_TEXT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKh)
OUTPUT_STRING(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE)
OUTPUT_CHARACTERS(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l)
OUTPUT_CHARACTERS(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_i)
OUTPUT(_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)
OUTPUT(_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)
OUTPUT(_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)

/* Manipulators of the stream itself, and of its base class. */
void *_ZNSolsEPFRSoS_E(void *stream, void *(*manipulate)(void *)) { return manipulate(stream); }

void *_ZNSolsEPFRSt9basic_iosIcSt11char_traitsIcEES3_E(void *stream, void *(*manipulate)(void *)) {
    manipulate(base_of(stream));
    return stream;
}

void *_ZNSolsEPFRSt8ios_baseS0_E(void *stream, void *(*manipulate)(void *)) {
    manipulate(base_of(stream));
    return stream;
}

/* Input of an integer: the input has ended, or it is there, or is none, or does not fit; it may end behind it. Once something
 * has failed the stream gives nothing. */
#define INPUT(name, type, least, most)                                                                                 \
    void *name(void *stream, type *to) {                                                                               \
        struct base *base = base_of(stream);                                                                           \
        if (state_of(base) != 0) {                                                                                     \
            add_state(base, FAILED);                                                                                   \
            return stream;                                                                                             \
        }                                                                                                              \
        int ended = __heddle_choose(2) ? ENDED : 0;                                                                    \
        switch (__heddle_choose(5)) {                                                                                  \
        case 0: add_state(base, FAILED | ENDED); return stream;                                                        \
        case 1: *to = 0, ended |= FAILED; break;                                                                       \
        case 2: *to = least, ended |= FAILED; break;                                                                   \
        case 3: *to = most, ended |= FAILED; break;                                                                    \
        default: *to = (type)__VERIFIER_nondet_ulonglong(); break;                                                     \
        }                                                                                                              \
        if (ended) add_state(base, ended);                                                                             \
        return stream;                                                                                                 \
    }

INPUT(_ZNSirsERs, short, -32768, 32767)
INPUT(_ZNSirsERt, unsigned short, 65535, 65535)
INPUT(_ZNSirsERi, int, -__INT_MAX__ - 1, __INT_MAX__)
INPUT(_ZNSirsERj, unsigned, -1, -1)
INPUT(_ZNSirsERl, long, -__LONG_MAX__ - 1, __LONG_MAX__)
INPUT(_ZNSirsERm, unsigned long, -1, -1)
INPUT(_ZNSirsERx, long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
INPUT(_ZNSirsERy, unsigned long long, -1, -1)

ALWAYS _Bool has_failed(const struct base *base) { return (base->state & (FAILED | BAD)) != 0; }

/* std::basic_ios<char>: bool, !, fail, good, eof, bad, rdstate, clear */
_Bool _ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv(const struct base *base) { return !has_failed(base); }

_Bool _ZNKSt9basic_iosIcSt11char_traitsIcEEntEv(const struct base *base) { return has_failed(base); }

_Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv(const struct base *base) { return has_failed(base); }

_Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv(const struct base *base) { return base->state == 0; }

_Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv(const struct base *base) { return (base->state & ENDED) != 0; }

_Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv(const struct base *base) { return (base->state & BAD) != 0; }

int _ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv(const struct base *base) { return base->state; }

void _ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(struct base *base, int state) { base->state = state; }
