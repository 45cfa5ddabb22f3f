/* Models time and sleeping: <time.h>, <sys/time.h>, the sleep functions of <unistd.h>, sched_yield.
 *
 * Sleeping orders nothing: another thread may or may not have moved meanwhile, as always. It takes the time that it is asked to take, or more, by
 * monotonic clocks, which do not go backwards; a wait that is measured by such a clock does not time out before its deadline. The time of
 * day is arbitrary and may jump, even backwards. Dates and time zones are unmodelled.
 */
#include "heddle.h"

enum { BILLION = 1000000000 };
/* The numbers of clocks. */
enum { REAL, MONOTONIC, PROCESS_TIME, THREAD_TIME };

int sched_yield(void) { return 0; }

/* Seconds since 1970: not negative, and fitting a 32-bit time_t. */
ALWAYS long some_seconds(void) { return (long)__heddle_choose(0x80000000u); }

long time(long *result) {
    long now = some_seconds();
    if (result) *result = now;
    return now;
}

long time__unused(long *result) {
    if (result) *result = some_seconds();
    return 0;
}

struct pair {
    long seconds;
    long parts;
};

/* A moment has its nanoseconds in the lower bits and its seconds above them, so that moments are compared as numbers and no division is needed. */
enum { PARTS_BITS = 30, PARTS = (1 << PARTS_BITS) - 1 };
ALWAYS moment moment_of(unsigned long seconds, unsigned long parts) { return (moment)seconds << PARTS_BITS | parts; }

ALWAYS long seconds_of(moment time) { return (long)(time >> PARTS_BITS); }

ALWAYS long parts_of(moment time) { return (long)(time & PARTS); }

/* Clocks do not get as far as this, in seconds; nor is a sleep as long as that. */
enum { LATEST = 2000000000, LONGEST = 10000000 };

static moment last_readings[THREAD_TIME];
static _Thread_local moment last_thread_time;

/* A moment by the monotonic clock; those before it began are its beginning. */
moment __heddle_moment(const void *deadline) {
    const struct pair *time = deadline;
    if (time->seconds < 0) return 0;
    if (time->seconds >= LATEST) return moment_of(LATEST, 0);
    return moment_of((unsigned long)time->seconds, (unsigned long)time->parts);
}

/* It is not before that moment. A run in which clocks get as far as LATEST is none. */
void __heddle_pass(moment until) {
    moment *cell = __heddle_ghost(&last_readings[MONOTONIC]);
    moment now = 0;
    __heddle_assume(until < moment_of(LATEST, 0));
    __heddle_relaxed_begin();
    __atomic_load(cell, &now, __ATOMIC_RELAXED);
    if (now < until) __atomic_store(cell, &until, __ATOMIC_RELAXED);
    __heddle_relaxed_end();
}

/* Whether a clock has been read, or was waited for, at that moment or later. */
int __heddle_is_past(moment time) {
    moment now = 0;
    __atomic_load((moment *)__heddle_ghost(&last_readings[MONOTONIC]), &now, __ATOMIC_RELAXED);
    return time <= now;
}

/* std::chrono counts nanoseconds, which are a product. That they do not go backwards either follows, but solvers find it
 * hard; so the least that they can be now is kept too, where they are asked for. */
static unsigned long long least_ticks;

ALWAYS unsigned long long *ticks_cell(void) { return __heddle_ghost(&least_ticks); }

/* A sleep that begins now. */
static void sleep_from_now(long seconds, long parts) {
    moment now = 0;
    unsigned long long ticks = 0, least = 0;
    if (seconds >= LONGEST) __heddle_unmodelled("sleeping for months");
    __atomic_load((moment *)__heddle_ghost(&last_readings[MONOTONIC]), &now, __ATOMIC_RELAXED);
    if (__heddle_needs(HEDDLE_TICKS)) __atomic_load(ticks_cell(), &ticks, __ATOMIC_RELAXED);
    ticks += (unsigned long long)seconds * BILLION + (unsigned long)parts;
    parts += parts_of(now);
    int is_over = parts >= BILLION;
    moment until = moment_of((unsigned long)(seconds_of(now) + seconds + is_over), (unsigned long)(is_over ? parts - BILLION : parts));
    __heddle_relaxed_begin();
    __heddle_pass(until);
    if (__heddle_needs(HEDDLE_TICKS)) {
        __atomic_load(ticks_cell(), &least, __ATOMIC_RELAXED);
        if (least < ticks) __atomic_store(ticks_cell(), &ticks, __ATOMIC_RELAXED);
    }
    __heddle_relaxed_end();
}

void __heddle_sleep(const void *duration) {
    const struct pair *time = duration;
    sleep_from_now(time->seconds, time->parts);
}

/* No signals come, so sleeping takes at least as long as it is asked to. Only programs that can observe this keep account of it. */
ALWAYS void sleep_for(long seconds, long parts) {
    if (__heddle_needs(HEDDLE_MEASURED)) sleep_from_now(seconds, parts);
}

unsigned sleep(unsigned seconds) {
    sleep_for((long)seconds, 0);
    return 0;
}

int usleep(unsigned microseconds) {
    sleep_for((long)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000);
    return 0;
}

int nanosleep(const struct pair *duration, void *remaining) {
    (void)remaining;
    if (!is_bad_duration(duration)) {
        sleep_like(duration);
        return 0;
    }
    *__errno_location() = EINVAL;
    return -1;
}

enum { ABSOLUTE = 1 };

int clock_nanosleep(int clock, int flags, const struct pair *duration, void *remaining) {
    (void)remaining;
    if (clock != REAL && clock != MONOTONIC) __heddle_unmodelled("clock_nanosleep on this clock");
    if (is_bad_duration(duration)) return EINVAL;
    if (!(flags & ABSOLUTE)) {
        sleep_like(duration);
    } else {
        timed_out(deadline_of(clock, duration));
    }
    return 0;
}

/* A reading of a clock that does not go backwards: not before the last one. */
static moment read_clock(moment *cell) {
    __heddle_relaxed_begin();
    moment last = 0;
    __atomic_load(cell, &last, __ATOMIC_RELAXED);
    moment now = __VERIFIER_nondet_ulonglong();
    __heddle_assume(now >= last && now < moment_of(LATEST, 0) && parts_of(now) < BILLION);
    __atomic_store(cell, &now, __ATOMIC_RELAXED);
    __heddle_relaxed_end();
    return now;
}

static moment read_monotonic(void) { return read_clock(__heddle_ghost(&last_readings[MONOTONIC])); }

/* Clocks have nothing to do with each other. */
int clock_gettime(int clock, struct pair *time) {
    moment now;
    switch (clock) {
    case REAL:
        time->seconds = some_seconds();
        time->parts = (long)__heddle_choose(BILLION);
        return 0;
    case MONOTONIC: now = read_monotonic(); break;
    case PROCESS_TIME: now = read_clock(__heddle_ghost(&last_readings[PROCESS_TIME])); break;
    case THREAD_TIME: now = read_clock(__heddle_ghost(&last_thread_time)); break;
    default: __heddle_unmodelled("clock_gettime of this clock");
    }
    time->seconds = seconds_of(now);
    time->parts = parts_of(now);
    return 0;
}

/* POSIX: the resolution of a clock is at most 20 ms (_POSIX_CLOCKRES_MIN). It stays the same. */
enum { COARSEST = 20000000 };
static int resolutions[THREAD_TIME + 1];

static int resolution_in(int *cell) {
    __heddle_relaxed_begin();
    if (cell_get(cell) == 0) cell_put(cell, 1 + (int)__heddle_choose(COARSEST));
    int resolution = cell_get(cell);
    __heddle_relaxed_end();
    return resolution;
}

int clock_getres(int clock, struct pair *time) {
    if (clock < REAL || clock > THREAD_TIME) __heddle_unmodelled("clock_getres of this clock");
    if (time) {
        time->seconds = 0;
        time->parts = resolution_in(__heddle_ghost(&resolutions[clock]));
    }
    return 0;
}

int timespec_get(struct pair *time, int base) {
    if (base != 1) return 0;
    clock_gettime(0, time);
    return base;
}

int gettimeofday(struct pair *time, void *zone) {
    if (zone) __builtin_memset(zone, 0, 2 * sizeof(int));
    time->seconds = some_seconds();
    time->parts = (long)__heddle_choose(1000000);
    return 0;
}

/* Microseconds that the process has used, or -1 where that is not known or has no room in the result (C11 7.27.2.1). They do not get fewer; what they
 * have to do with the clock of clock_gettime is left open. */
static unsigned long long used;

long clock(void) {
    unsigned long long *cell = __heddle_ghost(&used), last = 0, now = __VERIFIER_nondet_ulonglong();
    __heddle_relaxed_begin();
    __atomic_load(cell, &last, __ATOMIC_RELAXED);
    __heddle_assume(now >= last && now < LATEST * 1000000ull);
    __atomic_store(cell, &now, __ATOMIC_RELAXED);
    __heddle_relaxed_end();
    return __heddle_choose(2) || now > (unsigned long)-1 / 2 ? -1 : (long)now;
}

double difftime(long later, long earlier) { return (double)later - (double)earlier; }

unsigned alarm(unsigned seconds) {
    (void)seconds;
    __heddle_unmodelled("alarm");
}

/* std::chrono's clocks. */
long long _ZNSt6chrono3_V212steady_clock3nowEv(void) {
    unsigned long long least = 0;
    __heddle_relaxed_begin();
    moment now = read_monotonic();
    __atomic_load(ticks_cell(), &least, __ATOMIC_RELAXED);
    unsigned long long ticks = (unsigned long long)seconds_of(now) * BILLION + (unsigned long)parts_of(now);
    __heddle_assume(ticks >= least);
    __atomic_store(ticks_cell(), &ticks, __ATOMIC_RELAXED);
    __heddle_relaxed_end();
    return (long long)ticks;
}

long long _ZNSt6chrono3_V212system_clock3nowEv(void) {
    return some_seconds() * (long long)BILLION + (long long)__heddle_choose(BILLION);
}

/* std::this_thread::__sleep_for, of older headers. */
void _ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE(
    long long seconds, long long parts) {
    sleep_for((long)seconds, (long)parts);
}
