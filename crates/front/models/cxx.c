/* Models the C++ runtime: guards of local statics, the end by std::terminate, and exceptions.
 *
 * Exceptions are unmodelled where they are thrown, so no handler ever runs. An uncaught exception would end the
 * process; it is unmodelled all the same, because the models cannot determine whether there is a handler.
 */
#include "once.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

/* The first byte of a guard says that the initialisation is done: the compiler's code looks at it first. */
int __cxa_guard_acquire(char *guard) { return once_enter(guard); }

void __cxa_guard_release(char *guard) {
    __atomic_store_n(guard, 1, __ATOMIC_RELEASE);
    once_leave(guard, ONCE_DONE);
}

void __cxa_guard_abort(char *guard) { once_leave(guard, ONCE_BEFORE); }

/* std::terminate() */
_Noreturn void _ZSt9terminatev(void) { __heddle_exit(); }

_Noreturn void __cxa_pure_virtual(void) { __heddle_unmodelled("undefined behaviour (a call of a pure virtual function)"); }

_Noreturn void __cxa_deleted_virtual(void) { __heddle_exit(); }

void *__cxa_allocate_exception(size_t bytes) { __heddle_unmodelled("exception"); }

void __cxa_free_exception(void *exception) { __heddle_unmodelled("exception"); }

_Noreturn void __cxa_throw(void *exception, void *type, void (*destructor)(void *)) {
    __heddle_unmodelled("exception");
}

_Noreturn void __cxa_rethrow(void) { __heddle_unmodelled("exception"); }

void *__cxa_begin_catch(void *exception) { __heddle_unmodelled("exception"); }

void __cxa_end_catch(void) { __heddle_unmodelled("exception"); }

_Noreturn void __cxa_throw_bad_array_new_length(void) { __heddle_unmodelled("exception"); }

_Noreturn void __cxa_bad_cast(void) { __heddle_unmodelled("exception"); }

_Noreturn void _Unwind_Resume(void *exception) { __heddle_unmodelled("exception"); }

void *__dynamic_cast(const void *object, const void *from, const void *to, ssize_t hint) {
    __heddle_unmodelled("dynamic_cast");
}

#define THROW(name, what)                                                                                              \
    _Noreturn void name(void) { __heddle_unmodelled("exception " what); }

THROW(_ZSt17__throw_bad_allocv, "std::bad_alloc")
THROW(_ZSt28__throw_bad_array_new_lengthv, "std::bad_array_new_length")
THROW(_ZSt16__throw_bad_castv, "std::bad_cast")
THROW(_ZSt18__throw_bad_typeidv, "std::bad_typeid")
THROW(_ZSt25__throw_bad_function_callv, "std::bad_function_call")
THROW(_ZSt19__throw_logic_errorPKc, "std::logic_error")
THROW(_ZSt20__throw_length_errorPKc, "std::length_error")
THROW(_ZSt20__throw_out_of_rangePKc, "std::out_of_range")
THROW(_ZSt24__throw_out_of_range_fmtPKcz, "std::out_of_range")
THROW(_ZSt24__throw_invalid_argumentPKc, "std::invalid_argument")
THROW(_ZSt21__throw_runtime_errorPKc, "std::runtime_error")
THROW(_ZSt22__throw_overflow_errorPKc, "std::overflow_error")
THROW(_ZSt20__throw_system_errori, "std::system_error")
THROW(_ZSt20__throw_future_errori, "std::future_error")

/* Only the addresses of these matter: the start of every type_info of the program points into them. */
void *_ZTVN10__cxxabiv117__class_type_infoE[8];
void *_ZTVN10__cxxabiv120__si_class_type_infoE[8];
void *_ZTVN10__cxxabiv121__vmi_class_type_infoE[8];
void *_ZTVN10__cxxabiv119__pointer_type_infoE[8];
void *_ZTVN10__cxxabiv120__function_type_infoE[8];
char __dso_handle;
