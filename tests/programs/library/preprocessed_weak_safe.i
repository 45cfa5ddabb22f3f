// In C that has been preprocessed too, a strong compare-exchange of something large fails only if the values differ.
// property: unreach    truth: safe
// explore: safe   priori: safe   staged: safe
struct triple {
    long a, b, c;
};
void reach_error(void);

int main(void) {
    struct triple object = {1, 1, 1}, expected = {1, 1, 1}, desired = {2, 2, 2};
    if (!__atomic_compare_exchange(&object, &expected, &desired, 0, 5, 5)) reach_error();
    return 0;
}
