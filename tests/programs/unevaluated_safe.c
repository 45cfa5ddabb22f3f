// The operands of __builtin_constant_p and __builtin_object_size are not evaluated.
// property: memory     truth: safe
// explore: safe   impact: safe   staged: safe
// property: race       truth: safe
// explore: safe   impact: safe   priori: safe   staged: safe
#include <pthread.h>

struct node {
    struct node *next;
    int value;
} node;

void *look(void *arg) {
    struct node *none = 0;
    int unknown = __builtin_constant_p(node.value) + __builtin_constant_p(none->next->value);
    return __builtin_object_size(none->next, 0) && unknown ? arg : 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, look, 0);
    node.value = 4;
    pthread_join(t, 0);
}
