// property: unreach   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
//
// What malloc returns has any contents where nothing is written before the thread is started.
#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);

static void *reader(void *p)
{
    if (*(int *)p == 2) reach_error();
    return 0;
}

int main(void)
{
    pthread_t id;
    int *p = malloc(sizeof *p);
    if (__VERIFIER_nondet_bool()) {
        *p = 1;
        pthread_create(&id, 0, reader, p);
    } else {
        pthread_create(&id, 0, reader, p);
    }
    pthread_join(id, 0);
    free(p);
    return 0;
}
