/* Models thread-specific data: pthread_key_*, tss_*, and destructors of thread-local variables of C++.
 *
 * Values are thread-local; the table of keys is in ghost memory. When a thread ends, destructors run in the order of
 * the keys, as in glibc, at most four rounds. Simplifications: at most 16 keys and 16 thread-local variables with
 * destructors per thread, then unmodelled; the number of a deleted key is not given to another key.
 */
#include "heddle.h"

enum { MOST_KEYS = 16, ROUNDS = 4, MOST_VARIABLES = 16 };

struct key {
    int is_used;
    void (*destructor)(void *);
};

/* Only the ghost of these is used: it is four times as large. */
static char key_table[MOST_KEYS * sizeof(struct key) / 4] __attribute__((aligned(16)));
static int key_count;

/* A value that may point to something that is gone must not be compared, not even with null. */
struct value {
    void *value;
    int is_set;
};

static _Thread_local struct value values[MOST_KEYS];

ALWAYS struct key *key_of(unsigned key) { return (struct key *)__heddle_ghost(key_table) + key; }

ALWAYS int *count_of_keys(void) { return __heddle_ghost(&key_count); }

ALWAYS int is_key(unsigned key) { return key < MOST_KEYS && __atomic_load_n(&key_of(key)->is_used, __ATOMIC_RELAXED); }

int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
    __heddle_relaxed_begin();
    int number = cell_get(count_of_keys());
    if (number == MOST_KEYS) __heddle_unmodelled("more than 16 keys of thread-specific data");
    cell_put(count_of_keys(), number + 1);
    __atomic_store_n(&key_of((unsigned)number)->destructor, destructor, __ATOMIC_RELAXED);
    cell_put(&key_of((unsigned)number)->is_used, 1);
    __heddle_relaxed_end();
    *key = (unsigned)number;
    return 0;
}

int __pthread_key_create(unsigned *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor); }

int pthread_key_delete(unsigned key) {
    if (!is_key(key)) return EINVAL;
    cell_put(&key_of(key)->is_used, 0);
    return 0;
}

int pthread_setspecific(unsigned key, const void *value) {
    if (!is_key(key)) return EINVAL;
    values[key].value = (void *)value;
    values[key].is_set = value != NULL;
    return 0;
}

void *pthread_getspecific(unsigned key) { return is_key(key) ? values[key].value : NULL; }

/* C11: 0 is success and 2 an error. */
int tss_create(unsigned *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor); }

void tss_delete(unsigned key) { pthread_key_delete(key); }

int tss_set(unsigned key, void *value) { return pthread_setspecific(key, value) == 0 ? 0 : 2; }

void *tss_get(unsigned key) { return pthread_getspecific(key); }

/* Thread-local variables with destructors: the last one made is destroyed first, before the keys' destructors run. */
struct variable {
    void (*destructor)(void *);
    void *object;
};

static _Thread_local struct variable variables[MOST_VARIABLES];
static _Thread_local int variable_count;

int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *library) {
    (void)library;
    if (variable_count == MOST_VARIABLES) __heddle_unmodelled("more than 16 thread-local variables with destructors");
    variables[variable_count].destructor = destructor;
    variables[variable_count].object = object;
    variable_count++;
    return 0;
}

int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library) {
    return __cxa_thread_atexit(destructor, object, library);
}

/* Calls the destructor of the key's value, if there are both; whether it did. */
static int destroy_value(unsigned key) {
    if (!values[key].is_set || !is_key(key)) return 0;
    void (*destructor)(void *) = __atomic_load_n(&key_of(key)->destructor, __ATOMIC_RELAXED);
    if (destructor == NULL) return 0;
    void *value = values[key].value;
    values[key].value = NULL;
    values[key].is_set = 0;
    /* To end the thread again is undefined (POSIX, pthread_exit). */
    __heddle_cleanups++;
    destructor(value);
    __heddle_cleanups--;
    return 1;
}

void __heddle_destroy_variables(void) {
    while (variable_count > 0) {
        variable_count--;
        variables[variable_count].destructor(variables[variable_count].object);
    }
}

void __heddle_at_thread_exit(void) {
    __heddle_destroy_variables();
    for (int round = 0; round < ROUNDS; round++) {
        int is_active = 0;
        for (unsigned key = 0; key < (unsigned)cell_get(count_of_keys()); key++) is_active |= destroy_value(key);
        if (!is_active) return;
    }
}
