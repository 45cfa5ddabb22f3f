// A semaphore may be cleared after its destruction.
// property: unreach    truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <assert.h>
#include <semaphore.h>
#include <string.h>

sem_t slots;

int main(void) {
    for (int i = 0; i < 2; i++) {
        memset(&slots, 0, sizeof slots);
        sem_init(&slots, 0, 2);
        assert(sem_trywait(&slots) == 0);
        sem_destroy(&slots);
    }
    return 0;
}
