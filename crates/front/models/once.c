/* Models pthread_once, see once.h. */
#include "once.h"

int pthread_once(void *once, void (*initialise)(void)) {
    if (once_enter(once)) {
        __heddle_cleanups++;
        initialise();
        __heddle_cleanups--;
        once_leave(once, ONCE_DONE);
    }
    return 0;
}
