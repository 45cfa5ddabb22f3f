/* Models the functions of C++'s mutexes that may fail although no thread holds the mutex: try_lock, and the waits with a time
 * ([thread.mutex.requirements.mutex], [thread.timedmutex.requirements], [thread.sharedmutex.requirements]), and the locks of std::shared_mutex.
 * libstdc++'s, which the header defines, do not; they count with --libc glibc. All of these classes begin with the mutex or read-write lock of
 * pthread.
 *
 * A thread must not ask so for what it holds already, but for recursive mutexes (C++17 says so of each; of shared ones [thread.sharedmutex.class]/3
 * says so of every lock): that violates `locks`.
 */
#include "mutex.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

int pthread_rwlock_trywrlock(void *lock);
int pthread_rwlock_tryrdlock(void *lock);
int pthread_rwlock_wrlock(void *lock);
int pthread_rwlock_rdlock(void *lock);
int __heddle_wait_for_writing(void *lock, int clock, const void *deadline);
int __heddle_wait_for_reading(void *lock, int clock, const void *deadline);
int pthread_rwlock_unlock(void *lock);
int __heddle_owns_rwlock(void *lock);
int __heddle_writes_rwlock(void *lock);

ALWAYS void check_not_mine(_Bool is_mine) { __heddle_assert(!is_mine, "tried-by-others"); }

ALWAYS void check_not_held(void *m) { __heddle_assert(!__heddle_owns_rwlock(m), "shared-once"); }

ALWAYS void check_mutex(const void *m) { check_not_mine(mutex_is_mine(m)); }

ALWAYS void check_shared(void *m) { check_not_mine(__heddle_owns_rwlock(m)); }

/* Of a mutex of which it is known that it is normal. */
ALWAYS _Bool try_weakly(void *m) {
    int *owner = &mutex_of(m)->owner, expected = 0, self = self_number();
    if (__atomic_compare_exchange_n(owner, &expected, self, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return 1;
    check_not_mine(expected == self);
    return 0;
}

/* A timed wait that fails spuriously has read the time. */
ALWAYS int fails(const void *time) {
    int is_bad = is_bad_time(time);
    return __heddle_choose(2) || is_bad;
}

/* std::mutex::try_lock() and its like */
_Bool _ZNSt5mutex8try_lockEv__instead(void *m) { return try_weakly(m); }

_Bool _ZNSt11timed_mutex8try_lockEv__instead(void *m) { return try_weakly(m); }

_Bool _ZNSt15recursive_mutex8try_lockEv__instead(void *m) { return mutex_try_weakly(m) == 0; }

_Bool _ZNSt21recursive_timed_mutex8try_lockEv__instead(void *m) { return mutex_try_weakly(m) == 0; }

/* What try_lock_for and try_lock_until call: std::timed_mutex::_M_timedlock(const timespec &), _M_clocklock(int, const timespec &) */
_Bool _ZNSt11timed_mutex12_M_timedlockERK8timespec__instead(void *m, const void *time) {
    check_mutex(m);
    return !fails(time) && mutex_timedlock(m, CLOCK_REALTIME, time) == 0;
}

_Bool _ZNSt11timed_mutex12_M_clocklockEiRK8timespec__instead(void *m, int clock, const void *time) {
    check_mutex(m);
    return !fails(time) && mutex_timedlock(m, clock, time) == 0;
}

_Bool _ZNSt21recursive_timed_mutex12_M_timedlockERK8timespec__instead(void *m, const void *time) {
    return !fails(time) && mutex_timedlock(m, CLOCK_REALTIME, time) == 0;
}

_Bool _ZNSt21recursive_timed_mutex12_M_clocklockEiRK8timespec__instead(void *m, int clock, const void *time) {
    return !fails(time) && mutex_timedlock(m, clock, time) == 0;
}

/* std::shared_mutex::lock(), lock_shared(), and those of std::shared_timed_mutex */
void _ZNSt12shared_mutex4lockEv__instead(void *m) {
    check_not_held(m);
    pthread_rwlock_wrlock(m);
}

void _ZNSt12shared_mutex11lock_sharedEv__instead(void *m) {
    check_not_held(m);
    pthread_rwlock_rdlock(m);
}

void _ZNSt18shared_timed_mutex4lockEv__instead(void *m) { _ZNSt12shared_mutex4lockEv__instead(m); }

void _ZNSt18shared_timed_mutex11lock_sharedEv__instead(void *m) { _ZNSt12shared_mutex11lock_sharedEv__instead(m); }

/* std::shared_mutex::unlock(), unlock_shared(), and those of std::shared_timed_mutex: each gives back what goes with it. */
void _ZNSt12shared_mutex6unlockEv__instead(void *m) {
    __heddle_assert(__heddle_writes_rwlock(m), "unlocked-as-written");
    pthread_rwlock_unlock(m);
}

void _ZNSt12shared_mutex13unlock_sharedEv__instead(void *m) {
    __heddle_assert(!__heddle_writes_rwlock(m), "unlocked-as-read");
    pthread_rwlock_unlock(m);
}

void _ZNSt18shared_timed_mutex6unlockEv__instead(void *m) { _ZNSt12shared_mutex6unlockEv__instead(m); }

void _ZNSt18shared_timed_mutex13unlock_sharedEv__instead(void *m) { _ZNSt12shared_mutex13unlock_sharedEv__instead(m); }

/* std::shared_mutex::try_lock(), try_lock_shared(), and those of std::shared_timed_mutex. Only a successful lock for writing shows that
 * the thread did not hold it. */
ALWAYS _Bool try_writing(void *m) {
    if (__heddle_choose(2) && pthread_rwlock_trywrlock(m) == 0) return 1;
    check_shared(m);
    return 0;
}

ALWAYS _Bool try_reading(void *m) {
    check_shared(m);
    return __heddle_choose(2) && pthread_rwlock_tryrdlock(m) == 0;
}

_Bool _ZNSt12shared_mutex8try_lockEv__instead(void *m) { return try_writing(m); }

_Bool _ZNSt12shared_mutex15try_lock_sharedEv__instead(void *m) { return try_reading(m); }

_Bool _ZNSt18shared_timed_mutex8try_lockEv__instead(void *m) { return try_writing(m); }

_Bool _ZNSt18shared_timed_mutex15try_lock_sharedEv__instead(void *m) { return try_reading(m); }

/* What try_lock_for and its like of std::shared_timed_mutex call, which are templates: std::__glibcxx_rwlock_timedwrlock(), ..._timedrdlock(), and
 * functions of pthread in a program that has these templates. */
int _ZStL28__glibcxx_rwlock_timedwrlockP16pthread_rwlock_tPK8timespec__instead(void *m, const void *time) {
    check_shared(m);
    return fails(time) ? ETIMEDOUT : __heddle_wait_for_writing(m, CLOCK_REALTIME, time);
}

int _ZStL28__glibcxx_rwlock_timedrdlockP16pthread_rwlock_tPK8timespec__instead(void *m, const void *time) {
    check_shared(m);
    return fails(time) ? ETIMEDOUT : __heddle_wait_for_reading(m, CLOCK_REALTIME, time);
}

int pthread_rwlock_clockwrlock__weakly(void *m, int clock, const void *time) {
    check_shared(m);
    return fails(time) ? ETIMEDOUT : __heddle_wait_for_writing(m, clock, time);
}

int pthread_rwlock_clockrdlock__weakly(void *m, int clock, const void *time) {
    check_shared(m);
    return fails(time) ? ETIMEDOUT : __heddle_wait_for_reading(m, clock, time);
}
