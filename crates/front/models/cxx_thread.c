/* Models std::thread, std::condition_variable and std::call_once as libstdc++'s headers call them; std::mutex and
 * the other locks are inline there and call pthread's functions.
 *
 * A std::thread holds the thread's number, 0 if it has none. A thread starts with a state object whose virtual
 * functions are two destructors and then the function to run; it is deleted at the end.
 */
#include "cond.h"
#include "thread.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

typedef void (*method)(void *);

ALWAYS void run_state(void *state) {
    method *methods = *(method **)state;
    methods[2](state);
    methods[1](state);
}

static void *start_std_thread(void *state) {
    run_state(state);
    __heddle_end_thread(NULL);
}

static void *start_std_thread__plain(void *state) {
    run_state(state);
    return NULL;
}

/* std::thread::_M_start_thread(unique_ptr<_State>, void (*)()): the pointer is passed by reference and taken over. */
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    thread_number *thread, void **state, method unused) {
    thread_number number = __heddle_new_thread();
    void *taken = *state;
    *state = NULL;
    *thread = number;
    __heddle_spawn(number, start_std_thread, taken);
}

void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE__plain(
    thread_number *thread, void **state, method unused) {
    thread_number number = __heddle_new_thread();
    void *taken = *state;
    *state = NULL;
    *thread = number;
    __heddle_spawn(number, start_std_thread__plain, taken);
}

/* std::thread::join() */
void _ZNSt6thread4joinEv(thread_number *thread) {
    if (*thread == 0) __heddle_unmodelled("exception std::system_error: join of a thread that is not joinable");
    if (*thread == __heddle_self()) __heddle_unmodelled("exception std::system_error: join of the running thread");
    __heddle_join(*thread);
    *thread = 0;
}

/* std::thread::detach() */
void _ZNSt6thread6detachEv(thread_number *thread) {
    if (*thread == 0) __heddle_unmodelled("exception std::system_error: detach of a thread that is not joinable");
    __heddle_detach(*thread);
    *thread = 0;
}

/* std::thread::hardware_concurrency() */
unsigned _ZNSt6thread20hardware_concurrencyEv(void) { return __heddle_choose(8193); }

/* std::thread::_State: destructors, type and virtual functions. */
void _ZNSt6thread6_StateD2Ev(void *state) {}

void _ZNSt6thread6_StateD1Ev(void *state) {}

void _ZNSt6thread6_StateD0Ev(void *state) { __heddle_free(state); }

static void run_nothing(void *state) { __heddle_exit(); }

void *_ZTINSt6thread6_StateE[2];
void *_ZTVNSt6thread6_StateE[5] = {NULL, _ZTINSt6thread6_StateE, (void *)_ZNSt6thread6_StateD1Ev,
                                   (void *)_ZNSt6thread6_StateD0Ev, (void *)run_nothing};

/* std::condition_variable; a std::unique_lock begins with a pointer to its mutex. */
void _ZNSt18condition_variableC1Ev(void *c) { cond_init(c); }

void _ZNSt18condition_variableC2Ev(void *c) { cond_init(c); }

/* The order of std::thread::id is that of the system's numbers. */
_Bool _ZStltNSt6thread2idES0___instead(thread_number left, thread_number right) {
    (void)left, (void)right;
    __heddle_unmodelled("the order of the numbers of threads");
}

void _ZNSt18condition_variableD1Ev(void *c) { cond_destroy(c); }

void _ZNSt18condition_variableD1Ev__bound(void *c) { cond_destroy_bound(c); }

void _ZNSt18condition_variableD2Ev(void *c) { cond_destroy(c); }

void _ZNSt18condition_variableD2Ev__bound(void *c) { cond_destroy_bound(c); }

/* std::condition_variable::wait(std::unique_lock<std::mutex> &) */
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *c, void **lock) { cond_wait(c, *lock); }

void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE__simple(void *c, void **lock) {
    cond_wait_simple(c, *lock);
}

void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE__bound(void *c, void **lock) {
    cond_wait_bound(c, *lock);
}

void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE__simple_bound(void *c, void **lock) {
    cond_wait_simple_bound(c, *lock);
}

/* std::condition_variable::notify_one() and notify_all() */
void _ZNSt18condition_variable10notify_oneEv(void *c) { cond_notify_one(c); }

void _ZNSt18condition_variable10notify_allEv(void *c) { cond_notify_all(c); }

/* std::notify_all_at_thread_exit */
void _ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE(void *c, void *lock) {
    __heddle_unmodelled("std::notify_all_at_thread_exit");
}

/* std::call_once leaves what to call in these and gives __once_proxy to pthread_once. */
_Thread_local void *_ZSt15__once_callable;
_Thread_local void (*_ZSt11__once_call)(void);

void __once_proxy(void) { _ZSt11__once_call(); }

/* 0: the process may have several threads. */
char __libc_single_threaded = 0;
