/* Models try_lock of the mutexes of C++, which may fail although no thread holds the mutex ([thread.mutex.requirements.mutex],
 * [thread.sharedmutex.requirements]). libstdc++'s, which the header defines, does not; it counts with --libc glibc. All of these
 * classes begin with the mutex or read-write lock of pthread.
 */
#include "mutex.h"

int pthread_rwlock_trywrlock(void *lock);
int pthread_rwlock_tryrdlock(void *lock);

/* std::mutex::try_lock() and its like */
_Bool _ZNSt5mutex8try_lockEv__instead(void *m) { return mutex_try_weakly(m) == 0; }

_Bool _ZNSt11timed_mutex8try_lockEv__instead(void *m) { return mutex_try_weakly(m) == 0; }

_Bool _ZNSt15recursive_mutex8try_lockEv__instead(void *m) { return mutex_try_weakly(m) == 0; }

_Bool _ZNSt21recursive_timed_mutex8try_lockEv__instead(void *m) { return mutex_try_weakly(m) == 0; }

/* std::shared_mutex::try_lock() and try_lock_shared() */
_Bool _ZNSt12shared_mutex8try_lockEv__instead(void *m) {
    return __heddle_choose(2) && pthread_rwlock_trywrlock(m) == 0;
}

_Bool _ZNSt12shared_mutex15try_lock_sharedEv__instead(void *m) {
    return __heddle_choose(2) && pthread_rwlock_tryrdlock(m) == 0;
}
