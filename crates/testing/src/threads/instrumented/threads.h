/* threads.h on top of pthreads, for ThreadSanitizer: it knows what pthread functions synchronise, and does not know
   those of C11. */
#ifndef THREADS_BY_PTHREADS
#define THREADS_BY_PTHREADS
#include <pthread.h>
#include <stdint.h>
enum { thrd_success, thrd_error, thrd_busy };
enum { mtx_plain = 0, mtx_recursive = 1 };
typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_key_t tss_t;
typedef pthread_once_t once_flag;
typedef int (*thrd_start_t)(void *);
#define ONCE_FLAG_INIT PTHREAD_ONCE_INIT
static inline int thrd_create(thrd_t *id, thrd_start_t start, void *arg) {
  return pthread_create(id, 0, (void *(*)(void *))start, arg) ? thrd_error : thrd_success;
}
static inline int thrd_join(thrd_t id, int *result) {
  void *value;
  int failed = pthread_join(id, &value);
  if (result) *result = (int)(intptr_t)value;
  return failed ? thrd_error : thrd_success;
}
static inline int mtx_init(mtx_t *m, int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if (kind & mtx_recursive) pthread_mutexattr_settype(&attributes, 1);
  return pthread_mutex_init(m, &attributes) ? thrd_error : thrd_success;
}
static inline int mtx_lock(mtx_t *m) { return pthread_mutex_lock(m) ? thrd_error : thrd_success; }
static inline int mtx_trylock(mtx_t *m) { return pthread_mutex_trylock(m) ? thrd_busy : thrd_success; }
static inline int mtx_unlock(mtx_t *m) { return pthread_mutex_unlock(m) ? thrd_error : thrd_success; }
static inline void mtx_destroy(mtx_t *m) { pthread_mutex_destroy(m); }
static inline int cnd_init(cnd_t *c) { return pthread_cond_init(c, 0) ? thrd_error : thrd_success; }
static inline int cnd_wait(cnd_t *c, mtx_t *m) { return pthread_cond_wait(c, m) ? thrd_error : thrd_success; }
static inline int cnd_signal(cnd_t *c) { return pthread_cond_signal(c) ? thrd_error : thrd_success; }
static inline int cnd_broadcast(cnd_t *c) { return pthread_cond_broadcast(c) ? thrd_error : thrd_success; }
static inline void cnd_destroy(cnd_t *c) { pthread_cond_destroy(c); }
static inline int tss_create(tss_t *k, void (*d)(void *)) { return pthread_key_create(k, d) ? thrd_error : thrd_success; }
static inline void *tss_get(tss_t k) { return pthread_getspecific(k); }
static inline int tss_set(tss_t k, void *v) { return pthread_setspecific(k, v) ? thrd_error : thrd_success; }
static inline void tss_delete(tss_t k) { pthread_key_delete(k); }
static inline void call_once(once_flag *f, void (*g)(void)) { pthread_once(f, g); }
#endif
