// property: race   truth: unsafe
// explore: unsafe   impact: unsafe   priori: unsafe   staged: unsafe
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static void *read_number(void *unused) {
    (void)strtol("12", 0, 10);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, read_number, 0);
    setlocale(LC_ALL, "C");
    pthread_join(a, 0);
    return 0;
}
