/* Models random numbers.
 *
 * C and POSIX say of rand and random that each seed has a sequence, and not which one: the sequences are inputs. Where the program may
 * come to one place of a sequence twice, because it seeds again or draws before it seeds with 1 (crates/front/src/seeds.rs), what was drawn is
 * kept: of up to SEEDS seeds the first KEPT numbers, and what would need more is unmodelled. In all other programs a fresh number is as
 * good. rand and random are two generators, in glibc one.
 *
 * The numbers of drand48 and its like are those of POSIX. Where they start without a seed POSIX leaves open; in glibc from 0. rand_r is a
 * function of the seed that it is given, for which glibc's is taken (Premise::Random).
 *
 * C11 7.22.2: rand and srand need not avoid data races with each other; POSIX says the same of drand48, lrand48 and mrand48. random,
 * srandom, rand_r, erand48, nrand48 and jrand48 are thread-safe, but glibc's manual says race:drand48 of the last three as well.
 */
#include "heddle.h"

static int rand_state, drand48_state;

ALWAYS int any_number(void) { return (int)__heddle_choose(0x80000000u); }

enum { SEEDS = 4, KEPT = 8 };

struct sequence {
    unsigned seed;
    /* The next number, and how many are kept. More than KEPT: numbers behind those were drawn. */
    int place, kept;
    /* Those were drawn before the seed was set again. */
    int is_forgotten;
    int numbers[KEPT];
};

struct generator {
    struct sequence sequences[SEEDS];
    int count, current;
};

/* Without a seed it is as with 1. */
static struct generator for_rand = {.sequences = {{.seed = 1}}, .count = 1};
static struct generator for_random = {.sequences = {{.seed = 1}}, .count = 1};

static int draw(struct generator *generator) {
    __heddle_atomic_begin();
    struct sequence *sequence = &generator->sequences[generator->current];
    int place = sequence->place;
    int number;
    if (place == KEPT) {
        if (sequence->is_forgotten) __heddle_unmodelled("many random numbers after a seed that is set again");
        sequence->kept = KEPT + 1;
        number = any_number();
    } else if (place < sequence->kept) {
        number = sequence->numbers[place];
        sequence->place = place + 1;
    } else {
        number = any_number();
        sequence->numbers[place] = number;
        sequence->place = sequence->kept = place + 1;
    }
    __heddle_atomic_end();
    return number;
}

static void set_seed(struct generator *generator, unsigned seed) {
    __heddle_atomic_begin();
    int index = 0;
    while (index < generator->count && generator->sequences[index].seed != seed) index++;
    if (index == SEEDS) __heddle_unmodelled("more than 4 seeds of random numbers");
    struct sequence *sequence = &generator->sequences[index];
    if (index == generator->count) {
        sequence->seed = seed;
        generator->count = index + 1;
    }
    sequence->place = 0;
    sequence->is_forgotten = sequence->kept > KEPT;
    generator->current = index;
    __heddle_atomic_end();
}

struct generator *__heddle_generator_of_random(void) { return &for_random; }

struct generator *__heddle_generator_of_random__glibc(void) { return &for_rand; }

ALWAYS int number_of_rand(void) { return __heddle_needs(HEDDLE_REPEATS) ? draw(&for_rand) : any_number(); }

ALWAYS void seed_rand(unsigned seed) {
    if (__heddle_needs(HEDDLE_REPEATS)) set_seed(&for_rand, seed);
}

int rand(void) {
    __heddle_hidden(&rand_state, HEDDLE_WRITES);
    return number_of_rand();
}

int rand__glibc(void) { return number_of_rand(); }

void srand(unsigned seed) {
    __heddle_hidden(&rand_state, HEDDLE_WRITES);
    seed_rand(seed);
}

void srand__glibc(unsigned seed) { seed_rand(seed); }

long random(void) {
    return __heddle_needs(HEDDLE_REPEATS) ? draw(__heddle_generator_of_random()) : any_number();
}

void srandom(unsigned seed) {
    if (__heddle_needs(HEDDLE_REPEATS)) set_seed(__heddle_generator_of_random(), seed);
}

ALWAYS unsigned next32(unsigned state) { return state * 1103515245u + 12345u; }

int rand_r(unsigned *seed) {
    unsigned one = next32(*seed), two = next32(one), three = next32(two);
    *seed = three;
    return (int)((one >> 16 & 0x7ff) << 20 | (two >> 16 & 0x3ff) << 10 | (three >> 16 & 0x3ff));
}

/* A state of 48 bits, and in the highest bit that there is one. It is in ghost memory, which the library's own accesses to it order no more
 * than the model does. */
typedef unsigned long long word48 __attribute__((aligned(8)));

#define LOW48 0xffffffffffffull
#define IS_SET (1ull << 63)

ALWAYS word48 next48(word48 state) { return (state * 0x5deece66dull + 0xb) & LOW48; }

word48 __heddle_first48(void) { return __VERIFIER_nondet_ulonglong() & LOW48; }

word48 __heddle_first48__glibc(void) { return 0; }

ALWAYS word48 draw48(void) {
    __heddle_hidden(&drand48_state, HEDDLE_WRITES);
    word48 *kept = __heddle_ghost(&drand48_state);
    word48 state = __atomic_load_n(kept, __ATOMIC_RELAXED);
    state = next48(state & IS_SET ? state & LOW48 : __heddle_first48());
    __atomic_store_n(kept, state | IS_SET, __ATOMIC_RELAXED);
    return state;
}

ALWAYS void set_seed48(long seed) {
    word48 state = ((word48)(unsigned)seed << 16) | 0x330e;
    __atomic_store_n((word48 *)__heddle_ghost(&drand48_state), state | IS_SET, __ATOMIC_RELAXED);
}

ALWAYS double fraction48(word48 state) { return (double)(long long)state / 281474976710656.0; }

ALWAYS long positive48(word48 state) { return (long)(state >> 17); }

ALWAYS long signed48(word48 state) { return (int)(state >> 16); }

double drand48(void) { return fraction48(draw48()); }

long lrand48(void) { return positive48(draw48()); }

long mrand48(void) { return signed48(draw48()); }

/* Not on POSIX's list itself. */
void srand48(long seed) {
    __heddle_hidden(&drand48_state, HEDDLE_WRITES_SAFELY);
    set_seed48(seed);
}

void srand48__glibc(long seed) {
    __heddle_hidden(&drand48_state, HEDDLE_WRITES);
    set_seed48(seed);
}

ALWAYS word48 draw_own48(unsigned short own[3]) {
    word48 state = next48((word48)own[2] << 32 | (word48)own[1] << 16 | own[0]);
    own[0] = (unsigned short)state;
    own[1] = (unsigned short)(state >> 16);
    own[2] = (unsigned short)(state >> 32);
    return state;
}

#define WITH_OWN_STATE(type, name, result)                                                                             \
    type name(unsigned short own[3]) { return result(draw_own48(own)); }                                               \
    type name##__glibc(unsigned short own[3]) {                                                                        \
        __heddle_hidden(&drand48_state, HEDDLE_WRITES);                                                                \
        return result(draw_own48(own));                                                                                \
    }

WITH_OWN_STATE(double, erand48, fraction48)
WITH_OWN_STATE(long, nrand48, positive48)
WITH_OWN_STATE(long, jrand48, signed48)
