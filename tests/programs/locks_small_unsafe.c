// Locks in objects that are too small for them, and locks that just fit.
// property: memory    truth: unsafe   args: -DSPIN
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DONCE
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DCOND
// explore: unsafe   impact: unsafe   staged: unsafe
// property: memory    truth: unsafe   args: -DFEW
// explore: unsafe   staged: unsafe
// property: memory    truth: safe
// explore: unknown (inputs)   staged: safe
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

static void nothing(void) {}
static char tail[3];

int main(int argc, char **argv) {
#ifdef SPIN
    pthread_spin_init((pthread_spinlock_t *)malloc(1), 0);
#endif
#ifdef ONCE
    call_once((once_flag *)tail, nothing);
#endif
#ifdef COND
    char *bytes = malloc(sizeof(mtx_t) + 40);
    mtx_init((mtx_t *)bytes, mtx_plain);
    cnd_init((cnd_t *)(bytes + sizeof(mtx_t)));
#endif
#ifdef FEW
    int count = argc > 5 ? 2 : 1;
    pthread_mutex_t *mutexes = calloc(count, sizeof *mutexes);
    pthread_mutex_lock((pthread_mutex_t *)((char *)mutexes + 8 * count));
#endif
    char *enough = malloc(sizeof(mtx_t) + 48);
    cnd_init((cnd_t *)(enough + sizeof(mtx_t)));
    pthread_mutex_t *many = calloc(argc > 5 ? 2 : 1, sizeof *many);
    pthread_mutex_lock(&many[argc > 5]);
    pthread_mutex_unlock(&many[argc > 5]);
    return tail[0];
}
