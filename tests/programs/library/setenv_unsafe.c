// property: race   truth: unsafe
// property: race   truth: unsafe   libc: glibc
#include <pthread.h>
#include <stdlib.h>

static void *look(void *unused) {
    (void)getenv("HOME");
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, look, 0);
    setenv("HOME", "/", 1);
    pthread_join(a, 0);
    return 0;
}
